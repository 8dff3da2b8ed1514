import { useState } from 'preact/hooks';
import type { Client, Token } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { Failure } from '../ui/failure.tsx';
import { Field } from '../ui/field.tsx';
import { useResource } from '../ui/use-resource.ts';
import type { Named } from './kinds.ts';

/** The newest tokens can be selected, and those of the newest sessions; the details of an event lead to older ones. */
const MAX_TOKENS = 200;

/** The newest sessions are looked for among so many tokens of sessions and exchanges. */
const MAX_READ = 1_000;

interface Props {
  chosen?: Named;
  onChosen(token: Named | undefined): void;
}

/** Chooses the token that did something. The tokens are read when somebody is about to choose one. */
export function TokenField({ chosen, onChosen }: Props) {
  const { client } = useSession();
  const [isWanted, setIsWanted] = useState(false);
  const want = () => setIsWanted(true);
  const found = useResource<Token[]>(`${isWanted}`, async (signal) => {
    if (!isWanted) return [];
    const [standing, sessions] = await Promise.all([
      client.tokens.list({ session: false, limit: MAX_TOKENS }, { signal }).page(),
      newestSessions(client, signal),
    ]);
    return [...standing.data, ...sessions];
  });
  const tokens: (Named & { hint?: string })[] = found.value ?? [];
  const isListed = tokens.some(({ id }) => id === chosen?.id);
  const options = chosen && !isListed ? [{ ...chosen, hint: undefined }, ...tokens] : tokens;
  return (
    <>
      <Field label="Done by">
        {(field) => (
          <select
            {...field}
            value={chosen?.id ?? ''}
            onFocus={want}
            onPointerEnter={want}
            onChange={({ currentTarget: { value } }) => onChosen(options.find(({ id }) => id === value))}
          >
            <option value="">Any token</option>
            {options.map(({ id, name, hint }) => (
              <option key={id} value={id}>
                {hint ? `${name} (${hint})` : name}
              </option>
            ))}
            {isWanted && found.isLoading && <option disabled>Loading …</option>}
          </select>
        )}
      </Field>
      <Failure error={found.error} onRetry={found.reload} />
    </>
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
