import type { Webhook } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { CancelButton, Dialog } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { useSubmit } from '../ui/use-submit.ts';
import { nameOf } from './name-of.ts';

interface Props {
  webhook: Webhook;
  onClose(): void;
  onDeleted(): void;
}

export function DeleteWebhookDialog({ webhook, onClose, onDeleted }: Props) {
  const { client } = useSession();
  const form = useSubmit([], async () => {
    await client.webhooks.delete(webhook.id);
    onDeleted();
  });
  return (
    <Dialog title="Delete the webhook?" onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.submit}>
        <p>
          Nothing more is sent to <strong>{nameOf(webhook)}</strong>. This cannot be undone.
        </p>
        <Failure error={form.error} />
        <div class="buttons">
          <CancelButton autofocus />
          <button class="danger solid" aria-disabled={form.busy}>
            {form.busy ? 'Deleting …' : 'Delete webhook'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
