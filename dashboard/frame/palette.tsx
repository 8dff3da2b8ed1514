import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useBack } from '../router/place.ts';
import { may } from '../session/may.tsx';
import { useSession } from '../session/session.ts';
import { countOf } from '../ui/format.ts';
import { queryIn } from '../ui/search-field.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { useResource } from '../ui/use-resource.ts';
import { actionsOf, type Command, commandOfUser, fetchNamed } from './commands.ts';
import { recentlyUsed, remember } from './recent.ts';
import type { Section } from './section.ts';

const MAX_USERS = 8;

interface Props {
  sections: Section[];
  /** Shows the keyboard shortcuts. */
  onKeys(): void;
  onClose(): void;
}

/** Finds users, tokens, webhooks, groups, pages and actions by letters of their names; what was used last is first. */
export function Palette({ sections, onKeys, onClose }: Props) {
  const session = useSession();
  const id = useId();
  const ref = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const query = useDebounced(text.trim());
  const { users, isLoading, error } = useUsers(query);
  useBack(onClose);
  useLayoutEffect(() => {
    ref.current!.showModal();
    return () => ref.current?.close(); // restores the focus
  }, []);

  const words = text.trim().toLowerCase().split(/\s+/);
  const isFound = ({ title, group }: Command) =>
    words.every((word) => `${group} ${title}`.toLowerCase().includes(word));
  const isAdmin = may(session.token, 'admin');
  // Fails silently: the pages list them, too.
  const { value: named = [] } = useResource('named', (signal) => fetchNamed(session.client, isAdmin, signal));
  const known = [...actionsOf(session, sections, onKeys), ...(text.trim() ? named : [])];
  const commands = recentlyUsed(
    session,
    [...known.filter(isFound), ...users.map(commandOfUser)],
    !text.trim(),
  );
  const at = Math.min(chosen, commands.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    remember(session, command);
    setTimeout(command.run); // after the focus has been restored
  };
  const move = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const last = commands.length - 1;
    const to: Record<string, number> = {
      ArrowDown: at === last ? 0 : at + 1,
      ArrowUp: at <= 0 ? last : at - 1,
    };
    if (event.key === 'Enter') run(commands[at]);
    else if (event.key in to) setChosen(to[event.key]);
    else return;
    event.preventDefault();
  };

  return (
    <dialog
      class="palette"
      ref={ref}
      aria-label="Search or go to"
      onCancel={(event) => {
        event.preventDefault(); // the event `close` comes later, and would close a palette that was opened meanwhile
        onClose();
      }}
      onClose={() => ref.current?.isConnected && onClose()}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Search users, tokens, groups, pages and actions"
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        placeholder="Search, or type what you want to do"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={move}
      />
      <ul role="listbox" id={`${id}-list`} aria-label="Found" ref={list}>
        {commands.map((command, index) => (
          // Chosen with the keys in the field, which keeps the focus.
          <li
            key={command.key}
            role="option"
            id={`${id}-${index}`}
            aria-selected={index === at}
            onPointerMove={() => setChosen(index)}
            onClick={() => run(command)}
          >
            <span class="quiet group">{command.group}</span>
            <span class="clip">{command.title}</span>
            {command.hint && <span class="quiet clip">{command.hint}</span>}
          </li>
        ))}
      </ul>
      <p class="quiet small" role="status">
        {error
          ? 'The search for users has failed.'
          : isLoading
            ? 'Searching …'
            : commands.length === 0
              ? 'Nothing found'
              : countOf(commands.length, 'result')}
      </p>
    </dialog>
  );
}

/** The users that a query finds. Previous results stay until new ones arrive. */
function useUsers(text: string) {
  const { client } = useSession();
  const query = queryIn(text);
  const { value, isLoading, error } = useResource(query ?? '', async (signal) =>
    query ? (await client.users.search({ q: query, limit: MAX_USERS }, { signal }).page()).data : [],
  );
  const isSearch = query !== undefined;
  return {
    users: isSearch && error === undefined ? (value ?? []) : [],
    isLoading: isSearch && isLoading,
    error: isSearch && !isLoading ? error : undefined,
  };
}
