import { useState } from 'preact/hooks';
import type { NewWebhook, Webhook } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { focusHeading } from '../ui/dialog.tsx';
import { ConfirmDialog } from '../ui/form-dialog.tsx';
import { ListPage } from '../ui/list-page.tsx';
import { SecretDialog } from '../ui/secret-dialog.tsx';
import { useList } from '../ui/use-list.ts';
import { DeliveriesDialog } from './deliveries-dialog.tsx';
import { nameOf } from './name-of.ts';
import { RotateSecretDialog } from './rotate-secret-dialog.tsx';
import { WebhookFormDialog } from './webhook-form-dialog.tsx';
import { type WebhookDialog, webhookColumns } from './webhook-columns.tsx';

/** More than an organization can have. */
const LIMIT = 200;

type Opened = { dialog: WebhookDialog; webhook: Webhook } | { dialog: 'create' };

export default function WebhooksPage() {
  const { client } = useSession();
  const [opened, setOpened] = useState<Opened>();
  const [secret, setSecret] = useState<NewWebhook>();
  const list = useList('webhooks', (_page, signal) =>
    client.webhooks.list({ limit: LIMIT }, { signal }).page(),
  );
  const close = () => setOpened(undefined);
  const done = () => {
    close();
    list.reload();
  };
  const show = (webhook: NewWebhook) => {
    setSecret(webhook);
    done();
  };

  return (
    <>
      <ListPage
        title="Webhooks"
        actions={
          <button type="button" class="primary" onClick={() => setOpened({ dialog: 'create' })}>
            Create webhook
          </button>
        }
        lead="What happens in the organization is sent to these addresses, signed with a secret."
        list={list}
        singular="webhook"
        caption="Webhooks, newest first"
        columns={webhookColumns((dialog, webhook) => setOpened({ dialog, webhook }))}
        empty="There are no webhooks yet."
        isWhole
      />
      {opened?.dialog === 'create' && <WebhookFormDialog onClose={close} onCreated={show} />}
      {opened?.dialog === 'edit' && (
        <WebhookFormDialog webhook={opened.webhook} onClose={close} onChanged={done} />
      )}
      {opened?.dialog === 'deliveries' && <DeliveriesDialog webhook={opened.webhook} onClose={done} />}
      {opened?.dialog === 'rotate' && (
        <RotateSecretDialog webhook={opened.webhook} onClose={close} onRotated={show} />
      )}
      {opened?.dialog === 'delete' && (
        <ConfirmDialog
          title="Delete the webhook?"
          action="Delete webhook"
          doing="Deleting …"
          isDangerous
          onSubmit={async () => {
            await client.webhooks.delete(opened.webhook.id);
            done();
            focusHeading();
          }}
          onClose={close}
        >
          <p>
            Nothing more is sent to <strong>{nameOf(opened.webhook)}</strong>. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
      {secret && (
        <SecretDialog
          title="The secret of the webhook"
          label="Secret"
          value={secret.secret}
          example={{ label: 'A receiver that verifies it', text: SNIPPET, rows: 11 }}
          ifLost="rotate it"
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}

const SNIPPET = `import express from 'express';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
express()
  .post('/webhooks/users', express.text({ type: 'application/json' }), (request, response) => {
    const event = webhook.verify(request.body, request.headers); // throws if it is not signed
    console.log(event.type);
    response.sendStatus(204);
  })
  .listen(8080);`;
