import type { NewWebhook, Webhook } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { ConfirmDialog } from '../ui/form-dialog.tsx';
import { SelectField } from '../ui/select-field.tsx';
import { nameOf } from './name-of.ts';

const OVERLAPS = { '0h': 'Not at all', '1h': '1 hour', '24h': '24 hours', '168h': '7 days' };

interface Props {
  webhook: Webhook;
  onClose(): void;
  onRotated(webhook: NewWebhook): void;
}

export function RotateSecretDialog({ webhook, onClose, onRotated }: Props) {
  const { client } = useSession();
  return (
    <ConfirmDialog
      title="Rotate the secret?"
      action="Rotate secret"
      doing="Rotating …"
      fields={['overlap']}
      onSubmit={async (data) => {
        const overlap = String(data.get('overlap'));
        onRotated(await client.webhooks.rotateSecret(webhook.id, { overlap }));
      }}
      onClose={onClose}
    >
      {(errorAt) => (
        <>
          <p>
            Deliveries to <strong>{nameOf(webhook)}</strong> are signed with a new secret. Meanwhile the old
            one signs, too, so that you can replace it in the receiver.
          </p>
          <SelectField
            label="The old secret still signs for"
            error={errorAt('overlap')}
            options={OVERLAPS}
            name="overlap"
            defaultValue="24h"
          />
        </>
      )}
    </ConfirmDialog>
  );
}
