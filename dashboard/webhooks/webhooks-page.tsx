import { useState } from 'preact/hooks';
import type { NewWebhook } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { focusHeading } from '../ui/dialog.tsx';
import { ListPage } from '../ui/list-page.tsx';
import { useList } from '../ui/use-list.ts';
import { webhookColumns } from './webhook-columns.tsx';
import { type OpenWebhookDialog, WebhookDialogs } from './webhook-dialogs.tsx';
import { WebhookFormDialog } from './webhook-form-dialog.tsx';
import { WebhookSecretDialog } from './webhook-secret-dialog.tsx';

/** More than an organization can have. */
const LIMIT = 200;

export default function WebhooksPage() {
  const { client } = useSession();
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<NewWebhook>();
  const [dialog, setDialog] = useState<OpenWebhookDialog>();
  const list = useList('webhooks', (_page, signal) =>
    client.webhooks.list({ limit: LIMIT }, { signal }).page(),
  );

  return (
    <>
      <ListPage
        title="Webhooks"
        actions={
          <button type="button" class="primary" onClick={() => setIsCreating(true)}>
            Create webhook
          </button>
        }
        lead="What happens in the organization is sent to these addresses, signed with a secret."
        list={list}
        singular="webhook"
        caption="Webhooks, newest first"
        columns={webhookColumns(setDialog)}
        empty="There are no webhooks yet."
        isWhole
      />
      {isCreating && (
        <WebhookFormDialog
          onClose={() => setIsCreating(false)}
          onCreated={(webhook) => {
            setIsCreating(false);
            setCreated(webhook);
            list.reload();
          }}
        />
      )}
      {created && <WebhookSecretDialog webhook={created} onClose={() => setCreated(undefined)} />}
      {dialog && (
        <WebhookDialogs
          dialog={dialog}
          onClose={() => setDialog(undefined)}
          onChanged={list.reload}
          onDeleted={() => {
            list.reload();
            focusHeading();
          }}
        />
      )}
    </>
  );
}
