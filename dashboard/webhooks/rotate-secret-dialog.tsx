import type { NewWebhook, Webhook } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { CancelButton, Dialog } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { Field } from '../ui/field.tsx';
import { useSubmit } from '../ui/use-submit.ts';
import { nameOf } from './name-of.ts';

const OVERLAPS = [
  ['0h', 'Not at all'],
  ['1h', '1 hour'],
  ['24h', '24 hours'],
  ['168h', '7 days'],
];

interface Props {
  webhook: Webhook;
  onClose(): void;
  onRotated(webhook: NewWebhook): void;
}

export function RotateSecretDialog({ webhook, onClose, onRotated }: Props) {
  const { client } = useSession();
  const form = useSubmit(['overlap'], async (data) => {
    onRotated(await client.webhooks.rotateSecret(webhook.id, { overlap: String(data.get('overlap')) }));
  });
  return (
    <Dialog title="Rotate the secret?" onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.submit}>
        <p>
          Deliveries to <strong>{nameOf(webhook)}</strong> are signed with a new secret. Meanwhile the old one
          signs, too, so that you can replace it in the receiver.
        </p>
        <Field label="The old secret still signs for" error={form.errorAt('overlap')}>
          {(field) => (
            <select {...field} name="overlap" defaultValue="24h">
              {OVERLAPS.map(([value, title]) => (
                <option key={value} value={value}>
                  {title}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Failure error={form.error} />
        <div class="buttons">
          <CancelButton autofocus />
          <button class="primary" aria-disabled={form.busy}>
            {form.busy ? 'Rotating …' : 'Rotate secret'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
