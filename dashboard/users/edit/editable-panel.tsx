import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { User } from '../../../client/index.ts';
import { Icon } from '../../ui/icon.tsx';
import { InPlace } from '../../ui/leaving.tsx';
import { Panel } from '../../ui/panel.tsx';
import type { Input } from '../user/fields.tsx';
import { EditForm } from './edit-form.tsx';

/** What the page of a user is told. */
export interface EditingEvents {
  onEdit(): void;
  onSaved(user: User): void;
  onUnchanged(): void;
  onCancelled(): void;
}

interface Props {
  title: string;
  user: User;
  /** The fields that the panel has. */
  inputs: Input[];
  /** Undefined if the user cannot be changed here. */
  events: EditingEvents | undefined;
  /** A key that begins to edit. */
  shortcut?: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
}

/** A panel with values of a user, whose place a form takes. */
export function EditablePanel({ title, user, inputs, events, shortcut, aside, children }: Props) {
  /** The user as it was when the form was opened. */
  const [edited, setEdited] = useState<User>();
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  const isOpen = edited !== undefined && events !== undefined;
  useLayoutEffect(() => {
    // After a dialog that has closed with the form, and that gives the focus to the heading.
    if (wasOpen.current && !isOpen) queueMicrotask(() => button.current?.focus());
    wasOpen.current = isOpen;
  }, [isOpen]);
  useLayoutEffect(() => {
    if (!events) setEdited(undefined);
  }, [!events]);
  const edit = () => {
    setEdited(user);
    events?.onEdit();
  };

  if (isOpen) {
    const closing =
      <Args extends unknown[]>(then: (...args: Args) => void) =>
      (...args: Args) => {
        setEdited(undefined);
        then(...args);
      };
    return (
      <Panel title={title}>
        <InPlace onClose={closing(events.onCancelled)}>
          <EditForm
            user={edited}
            inputs={inputs}
            onSaved={closing(events.onSaved)}
            onUnchanged={closing(events.onUnchanged)}
          />
        </InPlace>
      </Panel>
    );
  }
  return (
    <Panel
      title={title}
      aside={
        <div class="buttons">
          {aside}
          {events && (
            <button
              type="button"
              class="plain small"
              ref={button}
              aria-label={`Edit ${title.toLowerCase()}`}
              aria-keyshortcuts={shortcut}
              title={shortcut && `Edit (${shortcut})`}
              onClick={edit}
            >
              <Icon name="edit" /> Edit
            </button>
          )}
        </div>
      }
    >
      {children}
    </Panel>
  );
}
