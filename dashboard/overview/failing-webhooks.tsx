import type { Webhook } from '../../client/index.ts';
import { Link } from '../router/link.tsx';
import { useSession } from '../session/session.ts';
import { FetchedPanel } from '../ui/panel.tsx';
import { useResource } from '../ui/use-resource.ts';
import { nameOf } from '../webhooks/name-of.ts';
import { Health } from '../webhooks/webhook-columns.tsx';

/** An organization has at most 20. */
const MAX_WEBHOOKS = 200;

/** The webhooks whose receivers fail, or that the service has disabled because of that. */
export function FailingWebhooks() {
  const { client } = useSession();
  const webhooks = useResource(
    'webhooks',
    async (signal) => (await client.webhooks.list({ limit: MAX_WEBHOOKS }, { signal }).page()).data,
  );
  return (
    <FetchedPanel
      title="Webhooks that fail"
      aside={<Link to="webhooks">All webhooks</Link>}
      resource={webhooks}
      textOf={(all) => {
        if (all.length === 0) return 'No webhooks yet.';
        return all.some(isFailing) ? '' : `All ${all.length} work.`;
      }}
    >
      {(all) =>
        all.some(isFailing) && (
          <ul role="list" class="rows">
            {all.filter(isFailing).map((webhook) => (
              <li key={webhook.id}>
                <Link to={`webhooks/${webhook.id}`} class="clip name" title={webhook.url}>
                  {nameOf(webhook)}
                </Link>
                <span>
                  <Health webhook={webhook} />
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </FetchedPanel>
  );
}

const isFailing = ({ failingSince, disabledReason }: Webhook) => (failingSince ?? disabledReason) !== null;
