import { useState } from 'preact/hooks';
import { Link } from '../router/link.tsx';
import { navigate } from '../router/place.ts';
import { useSession } from '../session/session.ts';
import { Failure } from '../ui/failure.tsx';
import { hasStatus } from '../ui/faults.ts';
import { PageHead } from '../ui/page-head.tsx';
import { Panel } from '../ui/panel.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { useResource } from '../ui/use-resource.ts';
import { Deliveries } from './deliveries.tsx';
import { nameOf } from './name-of.ts';
import { type WebhookAction, WebhookDialogs } from './webhook-dialogs.tsx';
import { WebhookFacts } from './webhook-facts.tsx';

const WEBHOOKS = { path: 'webhooks', title: 'Webhooks' };

/** One webhook, and what has been sent to it. */
export default function WebhookPage({ id }: { id: string }) {
  const { client } = useSession();
  const found = useResource(id, (signal) => client.webhooks.get(id, { signal }));
  const [action, setAction] = useState<WebhookAction>();
  const webhook = found.value;

  if (!webhook)
    return (
      <>
        <PageHead list={WEBHOOKS} title="Webhook" />
        {found.isLoading && <Skeleton />}
        {hasStatus(found.error, 404) ? (
          <p class="empty">
            There is no such webhook. <Link to="webhooks">See all webhooks</Link>
          </p>
        ) : (
          <Failure error={found.error} onRetry={found.reload} />
        )}
      </>
    );
  return (
    <>
      <PageHead
        list={WEBHOOKS}
        title={nameOf(webhook)}
        actions={
          <div class="buttons">
            <button type="button" onClick={() => setAction('edit')}>
              Edit
            </button>
            <button type="button" onClick={() => setAction('rotate')}>
              Rotate secret
            </button>
            <button type="button" class="danger" onClick={() => setAction('delete')}>
              Delete
            </button>
          </div>
        }
      />
      <Failure error={found.error} onRetry={found.reload} />
      <Panel title="Webhook">
        <WebhookFacts webhook={webhook} />
      </Panel>
      <Deliveries webhook={webhook} onRefresh={found.reload} />
      {action && (
        <WebhookDialogs
          dialog={{ action, webhook }}
          onClose={() => setAction(undefined)}
          onChanged={found.reload}
          onDeleted={() => navigate('webhooks', { replace: true })}
        />
      )}
    </>
  );
}
