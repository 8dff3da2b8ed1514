import { useState } from 'preact/hooks';
import { Link } from '../router/link.tsx';
import { useSession } from '../session/session.ts';
import { focusHeading } from '../ui/dialog.tsx';
import { ListPage } from '../ui/list-page.tsx';
import { useList } from '../ui/use-list.ts';
import { webhookColumns } from './webhook-columns.tsx';
import { type OpenWebhookDialog, WebhookDialogs } from './webhook-dialogs.tsx';

/** More than an organization can have. */
const LIMIT = 200;

export default function WebhooksPage() {
  const { client } = useSession();
  const [dialog, setDialog] = useState<OpenWebhookDialog>();
  const list = useList('webhooks', (_page, signal) =>
    client.webhooks.list({ limit: LIMIT }, { signal }).page(),
  );
  const create = (
    <Link to="webhooks/new" class="button primary" aria-keyshortcuts="C">
      Create webhook
    </Link>
  );

  return (
    <>
      <ListPage
        title="Webhooks"
        actions={create}
        lead="What happens in the organization is sent to these addresses, signed with a secret."
        list={list}
        singular="webhook"
        caption="Webhooks, newest first"
        columns={webhookColumns(setDialog)}
        empty="There are no webhooks yet."
        isWhole
      />
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
