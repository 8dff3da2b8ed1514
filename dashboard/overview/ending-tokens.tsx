import type { Client, Token } from '../../client/index.ts';
import { Link } from '../router/link.tsx';
import { useSession } from '../session/session.ts';
import { FetchedPanel } from '../ui/panel.tsx';
import { isSoon, Until } from '../ui/time.tsx';
import { useResource } from '../ui/use-resource.ts';

const MAX_SHOWN = 6;

/** The active tokens that expire within 14 days, the next one first, without sessions and issued tokens. */
export function EndingTokens() {
  const { client } = useSession();
  const tokens = useResource('ending', (signal) => endingTokens(client, signal));
  return (
    <FetchedPanel
      title="Tokens that end soon"
      aside={<Link to="tokens">All tokens</Link>}
      resource={tokens}
      textOf={textOf}
    >
      {(ending) =>
        ending.length > 0 && (
          <ul role="list" class="rows">
            {ending.slice(0, MAX_SHOWN).map((token) => (
              <li key={token.id}>
                <Link to={`tokens/${token.id}`} class="clip name">
                  {token.name}
                </Link>
                <span class="chip warning">
                  Expires <Until iso={token.expiresAt!} />
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </FetchedPanel>
  );
}

function textOf({ length }: Token[]): string {
  if (length === 0) return 'None within 14 days.';
  return length > MAX_SHOWN ? `And ${length - MAX_SHOWN} more.` : '';
}

async function endingTokens(client: Client, signal: AbortSignal): Promise<Token[]> {
  const ending: Token[] = [];
  const tokens = client.tokens.list({ state: 'active', session: false, limit: 200 }, { signal });
  for await (const token of tokens)
    if (token.expiresAt !== null && isSoon(token.expiresAt)) ending.push(token);
  return ending.sort((a, b) => Date.parse(a.expiresAt!) - Date.parse(b.expiresAt!));
}
