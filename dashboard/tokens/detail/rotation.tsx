import type { Client, Token } from '../../../client/index.ts';
import { Link } from '../../router/link.tsx';
import { useSession } from '../../session/session.ts';
import { Failure } from '../../ui/failure.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Ago, Until } from '../../ui/time.tsx';
import { useResource } from '../../ui/use-resource.ts';

/** The token that this one replaced, and the one that has replaced it. */
interface Neighbours {
  old: Token | null;
  successor: Token | null;
}

/** Shows which token replaces which, if this token is one of a pair. */
export function Rotation({ token, version }: { token: Token; version: number }) {
  const { client } = useSession();
  const pair = useResource(`${token.id} ${version}`, (signal) => neighboursOf(client, token, signal));
  const { old, successor } = pair.value ?? { old: null, successor: null };
  if (pair.error === undefined && !old && !successor) return null;
  return (
    <Panel title="Rotation">
      <Failure error={pair.error} onRetry={pair.reload} />
      <ol role="list" class="rows">
        {old && <Step token={old} role="Replaced by this one" />}
        <li aria-current="true">
          <span class="name">This token</span>
          <span class="quiet">
            {successor ? 'has been replaced' : 'the newest'} <code>{token.hint}</code>
          </span>
        </li>
        {successor && <Step token={successor} role="Replaces this one" />}
      </ol>
    </Panel>
  );
}

const Step = ({ token, role }: { token: Token; role: string }) => (
  <li>
    <span>
      <Link to={`tokens/${token.id}`} class="name">
        {token.name}
      </Link>{' '}
      <code>{token.hint}</code>
    </span>
    <span class="quiet">
      {role}; {token.state}
      {token.state === 'active' && token.expiresAt && (
        <>
          , ends <Until iso={token.expiresAt} />
        </>
      )}
      {token.revokedAt && (
        <>
          {' '}
          <Ago iso={token.revokedAt} />
        </>
      )}
    </span>
  </li>
);

/** The record of a token names the one that it replaced. Its successor is in the event of the rotation. */
async function neighboursOf(client: Client, token: Token, signal: AbortSignal): Promise<Neighbours> {
  const rotated = client.events
    .list({ target: token.id, type: 'token.rotated', order: 'desc', limit: 1 }, { signal })
    .page();
  const find = (id: string | null | undefined) =>
    id ? client.tokens.get(id, { signal }) : Promise.resolve(null);
  const [old, events] = await Promise.all([find(token.rotatedFrom), rotated]);
  const [event] = events.data;
  const successor = event?.data?.token as Token | undefined;
  return { old, successor: await find(successor?.id) };
}
