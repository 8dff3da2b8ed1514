import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Link } from '../router/link.tsx';
import { navigate, useQuery } from '../router/place.ts';
import { useSession } from '../session/session.ts';
import { useStore } from '../store.ts';
import { Failure } from '../ui/failure.tsx';
import { hasStatus } from '../ui/faults.ts';
import { ItemActions } from '../ui/item-actions.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { useResource } from '../ui/use-resource.ts';
import { Deliveries } from './deliveries/deliveries.tsx';
import { nameOf, WEBHOOKS } from './name-of.ts';
import { newWebhook } from './new-secret.ts';
import { Receiver } from './receiver.tsx';
import { type WebhookAction, WebhookDialogs } from './webhook-dialogs.tsx';
import { WebhookPanel } from './webhook-panel.tsx';
import { WebhookSecretDialog } from './webhook-secret-dialog.tsx';

/** One webhook, and what has been sent to it. */
export default function WebhookPage({ id }: { id: string }) {
  const { client } = useSession();
  const found = useResource(id, (signal) => client.webhooks.get(id, { signal }));
  const [parameters, change] = useQuery();
  const [isEditing, setIsEditing] = useState(parameters.has('edit'));
  const created = useStore(newWebhook);
  const [action, setAction] = useState<WebhookAction>();
  const editButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (parameters.has('edit')) change({ edit: undefined });
    return () => newWebhook.set(undefined);
  }, []);
  useLayoutEffect(() => {
    // After a dialog that has closed with the form, and that gives the focus to the heading.
    if (isEditing) return () => queueMicrotask(() => editButton.current?.focus());
  }, [isEditing]);
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
          <ItemActions
            name={nameOf(webhook)}
            onEdit={() => setIsEditing(true)}
            editRef={editButton}
            items={[
              { title: 'Rotate secret', onChoose: () => setAction('rotate') },
              { title: 'Delete', danger: true, onChoose: () => setAction('delete') },
            ]}
          />
        }
      />
      <Failure error={found.error} onRetry={found.reload} />
      <WebhookPanel
        webhook={webhook}
        isEditing={isEditing}
        onSaved={found.set}
        onClose={() => setIsEditing(false)}
      />
      <Deliveries webhook={webhook} onRefresh={found.reload} />
      <Receiver />
      {created && (
        <WebhookSecretDialog
          webhook={created}
          title="Webhook created"
          onClose={() => newWebhook.set(undefined)}
        />
      )}
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
