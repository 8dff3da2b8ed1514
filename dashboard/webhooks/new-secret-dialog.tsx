import { useState } from 'preact/hooks';
import type { NewWebhook } from '../../client/index.ts';
import { CopyField } from '../ui/copy-field.tsx';
import { Dialog, DoneButton, useLeaveQuestion } from '../ui/dialog.tsx';

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

/** Shows the secret of a webhook, which cannot be shown again. */
export function NewSecretDialog({ webhook, onClose }: { webhook: NewWebhook; onClose(): void }) {
  const [isCopied, setIsCopied] = useState(false);
  return (
    <Dialog title="The secret of the webhook" onClose={onClose}>
      <AskUnless isCopied={isCopied} />
      <p class="banner warning">Copy the secret now. You won't be able to see it again.</p>
      <CopyField label="Secret" value={webhook.secret} onCopied={() => setIsCopied(true)} />
      <CopyField label="A receiver that verifies it" value={SNIPPET} rows={11} onCopied={() => {}} />
      <div class="buttons">
        <DoneButton />
      </div>
    </Dialog>
  );
}

/** Asks before the dialog is left, until the secret has been copied. */
function AskUnless({ isCopied }: { isCopied: boolean }) {
  const question = { title: 'Have you saved the secret?', stay: 'Back', leave: 'I have saved it' };
  useLeaveQuestion(isCopied ? null : question, isCopied);
  return null;
}
