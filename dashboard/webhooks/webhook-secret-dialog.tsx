import type { NewWebhook } from '../../client/index.ts';
import { SecretDialog } from '../ui/secret-dialog.tsx';

interface Props {
  webhook: NewWebhook;
  onClose(): void;
}

/** Shows the secret of a webhook this one time, beside a receiver to copy. */
export const WebhookSecretDialog = ({ webhook, onClose }: Props) => (
  <SecretDialog
    title="The secret of the webhook"
    label="Secret"
    value={webhook.secret}
    example={{ label: 'A receiver that verifies it', text: SNIPPET, rows: 11 }}
    ifLost="rotate it"
    onClose={onClose}
  />
);

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
