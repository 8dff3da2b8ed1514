import type { NewWebhook } from '../../client/index.ts';
import { SecretDialog } from '../ui/secret-dialog.tsx';

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

/** Shows the secret of a webhook. */
export const NewSecretDialog = ({ webhook, onClose }: { webhook: NewWebhook; onClose(): void }) => (
  <SecretDialog
    title="The secret of the webhook"
    label="Secret"
    value={webhook.secret}
    example={{ label: 'A receiver that verifies it', text: SNIPPET, rows: 11 }}
    ifLost="rotate it"
    onClose={onClose}
  />
);
