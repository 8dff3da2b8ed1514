import { useState } from 'preact/hooks';
import type { NewWebhook, Webhook } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { ConfirmDialog } from '../ui/form-dialog.tsx';
import { nameOf } from './name-of.ts';
import { RotateSecretDialog } from './rotate-secret-dialog.tsx';
import { WebhookSecretDialog } from './webhook-secret-dialog.tsx';

export type WebhookAction = 'rotate' | 'delete';

export interface OpenWebhookDialog {
  action: WebhookAction;
  webhook: Webhook;
}

interface Props {
  dialog: OpenWebhookDialog;
  onClose(): void;
  onChanged(): void;
  onDeleted(): void;
}

/** Gives a webhook another secret, or deletes it. */
export function WebhookDialogs({ dialog: { action, webhook }, onClose, onChanged, onDeleted }: Props) {
  const { client } = useSession();
  const [rotated, setRotated] = useState<NewWebhook>();
  const done = () => {
    onClose();
    onChanged();
  };
  if (rotated) return <WebhookSecretDialog webhook={rotated} title="Secret rotated" onClose={done} />;
  if (action === 'rotate')
    return <RotateSecretDialog webhook={webhook} onClose={onClose} onRotated={setRotated} />;
  return (
    <ConfirmDialog
      title="Delete the webhook?"
      action="Delete webhook"
      doing="Deleting …"
      isDangerous
      onSubmit={async () => {
        await client.webhooks.delete(webhook.id);
        onClose();
        onDeleted();
      }}
      onClose={onClose}
    >
      <p>
        Nothing more is sent to <strong>{nameOf(webhook)}</strong>. This cannot be undone.
      </p>
    </ConfirmDialog>
  );
}
