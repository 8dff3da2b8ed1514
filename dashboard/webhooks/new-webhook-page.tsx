import { navigate } from '../router/place.ts';
import { useSession } from '../session/session.ts';
import { PageHead } from '../ui/page-head.tsx';
import { WebhookForm } from './form/webhook-form.tsx';
import { WEBHOOKS } from './name-of.ts';
import { newWebhook } from './new-secret.ts';

/** Creates a webhook, whose own page shows its secret. */
export default function NewWebhookPage() {
  const { client } = useSession();
  return (
    <>
      <PageHead list={WEBHOOKS} title="New webhook" />
      <p class="quiet lead">What happens in the organization is sent to its address, signed with a secret.</p>
      <WebhookForm
        onSave={async (fields) => {
          const created = await client.webhooks.create(fields);
          newWebhook.set(created);
          navigate(`webhooks/${created.id}`, { replace: true, isUnasked: true });
        }}
        onCancel={() => navigate('webhooks', { isUnasked: true })}
      />
    </>
  );
}
