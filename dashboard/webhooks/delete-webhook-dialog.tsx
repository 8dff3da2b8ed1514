import type { Webhook } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { ConfirmDialog } from '../ui/form-dialog.tsx';
import { nameOf } from './name-of.ts';

interface Props {
  webhook: Webhook;
  onClose(): void;
  onDeleted(): void;
}

export function DeleteWebhookDialog({ webhook, onClose, onDeleted }: Props) {
  const { client } = useSession();
  return (
    <ConfirmDialog
      title="Delete the webhook?"
      action="Delete webhook"
      doing="Deleting …"
      isDangerous
      onSubmit={() => client.webhooks.delete(webhook.id).then(onDeleted)}
      onClose={onClose}
    >
      <p>
        Nothing more is sent to <strong>{nameOf(webhook)}</strong>. This cannot be undone.
      </p>
    </ConfirmDialog>
  );
}
