import type { Webhook } from '../../client/index.ts';
import { Link } from '../router/link.tsx';
import { useSession } from '../session/session.ts';
import { Failure } from '../ui/failure.tsx';
import { Panel } from '../ui/panel.tsx';
import { Ago } from '../ui/time.tsx';
import { useResource } from '../ui/use-resource.ts';
import { nameOf } from '../webhooks/name-of.ts';

/** An organization has at most 20. */
const MAX_WEBHOOKS = 200;

/** The webhooks whose receivers fail, or that the service has disabled because of that. */
export function FailingWebhooks() {
  const { client } = useSession();
  const webhooks = useResource('webhooks', (signal) =>
    client.webhooks.list({ limit: MAX_WEBHOOKS }, { signal }).page(),
  );
  const all = webhooks.value?.data ?? [];
  const failing = all.filter(({ failingSince, disabledReason }) => failingSince ?? disabledReason);
  return (
    <Panel title="Webhooks that fail" aside={<Link to="webhooks">All webhooks</Link>}>
      <Failure error={webhooks.error} onRetry={webhooks.reload} />
      {failing.length > 0 && (
        <ul role="list" class="rows">
          {failing.map((webhook) => (
            <li key={webhook.id}>
              <bdi class="clip name" title={webhook.url}>
                {nameOf(webhook)}
              </bdi>
              <Trouble webhook={webhook} />
            </li>
          ))}
        </ul>
      )}
      <p class="quiet" role="status">
        {webhooks.isLoading && 'Loading …'}
        {webhooks.value &&
          failing.length === 0 &&
          (all.length === 0 ? 'There are no webhooks.' : `All ${all.length} work.`)}
      </p>
    </Panel>
  );
}

const Trouble = ({ webhook: { enabled, failingSince } }: { webhook: Webhook }) => (
  <span class="chip warning">
    {enabled && failingSince ? (
      <>
        First failed <Ago iso={failingSince} />
      </>
    ) : (
      'Disabled by the service'
    )}
  </span>
);
