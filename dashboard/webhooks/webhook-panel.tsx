import type { Webhook } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { Panel } from '../ui/panel.tsx';
import { WebhookForm } from './form/webhook-form.tsx';
import { WebhookFacts } from './webhook-facts.tsx';

interface Props {
  webhook: Webhook;
  isEditing: boolean;
  onSaved(webhook: Webhook): void;
  onClose(): void;
}

/** The fields of a webhook, or in their place the form that changes them. */
export function WebhookPanel({ webhook, isEditing, onSaved, onClose }: Props) {
  const { client } = useSession();
  return (
    <Panel title="Webhook">
      {isEditing ? (
        <WebhookForm
          webhook={webhook}
          onSave={async (fields) => {
            onSaved(await client.webhooks.update(webhook.id, fields));
            onClose();
          }}
          onCancel={onClose}
        />
      ) : (
        <WebhookFacts webhook={webhook} />
      )}
    </Panel>
  );
}
