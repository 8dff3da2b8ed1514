import { useEffect, useRef } from 'preact/hooks';
import type { Client, Token } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { focusHeading } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { SearchForm } from '../ui/search-field.tsx';
import { SelectField } from '../ui/select-field.tsx';
import { useResource } from '../ui/use-resource.ts';
import { type Kind, KINDS, type Named } from './kinds.ts';
import { PersonPicker } from './person-picker.tsx';

/** The filters; undefined ones match everything. */
export interface Filter {
  kind?: Kind;
  /** The token that made the change. */
  actor?: Named;
  /** The user or token that was changed. */
  target?: Named;
}

/** The newest tokens can be selected, and those of the newest sessions; the details of an event lead to older ones. */
const MAX_TOKENS = 200;

/** The newest sessions are looked for among so many tokens of sessions and exchanges. */
const MAX_READ = 1_000;

interface Props {
  filter: Filter;
  onFilter(change: Filter): void;
}

export function ActivityTools({ filter: { kind, actor, target }, onFilter }: Props) {
  const { client } = useSession();
  const found = useResource('tokens', async (signal) => {
    const [standing, sessions] = await Promise.all([
      client.tokens.list({ session: false, limit: MAX_TOKENS }, { signal }).page(),
      newestSessions(client, signal),
    ]);
    return [...standing.data, ...sessions];
  });
  const tokens: (Named & { hint?: string })[] = found.value ?? [];
  const isListed = tokens.some(({ id }) => id === actor?.id);
  const options = actor && !isListed ? [{ ...actor, hint: undefined }, ...tokens] : tokens;

  return (
    <>
      <SearchForm>
        <PersonPicker onPick={(target) => onFilter({ target })} />
        <SelectField
          label="Kind"
          options={KINDS}
          any="Any kind"
          value={kind ?? ''}
          onValue={(kind) => onFilter({ kind: (kind || undefined) as Kind | undefined })}
        />
        <SelectField
          label="Done by"
          options={options.map(({ id, name, hint }) => [id, hint ? `${name} (${hint})` : name])}
          any="Any token"
          value={actor?.id ?? ''}
          onValue={(chosen) => onFilter({ actor: options.find(({ id }) => id === chosen) })}
        />
      </SearchForm>
      <Failure error={found.error} onRetry={found.reload} />
      {target && (
        <Target
          key={target.id}
          target={target}
          onClear={() => {
            onFilter({ target: undefined });
            focusHeading();
          }}
        />
      )}
    </>
  );
}

/** Takes the focus when it appears, because the button that made it appear is gone. */
function Target({ target, onClear }: { target: Named; onClear(): void }) {
  const ref = useRef<HTMLButtonElement>(null);
  useEffect(() => ref.current?.focus(), []);
  return (
    <p class="line">
      <span>
        Only what happened to <bdi class="name">{target.name}</bdi>
      </span>
      <button type="button" class="small" ref={ref} onClick={onClear}>
        Show everything
      </button>
    </p>
  );
}

/** Without the tokens that others have been exchanged for: what these do counts as done by their parents. */
async function newestSessions(client: Client, signal: AbortSignal): Promise<Token[]> {
  const sessions: Token[] = [];
  let read = 0;
  for await (const token of client.tokens.list({ session: true, limit: MAX_TOKENS }, { signal })) {
    if (token.parentId === null) sessions.push(token);
    if (sessions.length === MAX_TOKENS || ++read === MAX_READ) break;
  }
  return sessions;
}
