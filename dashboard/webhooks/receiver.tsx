import { CopyField } from '../ui/copy.tsx';

/** What whoever writes a receiver has to know. */
export const Duties = () => (
  <ol class="duties">
    <li>Verify the signature over the bytes of the body, before anything reads them.</li>
    <li>Answer with any 2xx within 15 seconds, and do slow work afterwards.</li>
    <li>
      Be ready for the same event twice: it has the same <code>webhook-id</code>.
    </li>
  </ol>
);

/** A receiver to copy, which is that of the documents. */
export const Snippet = () => (
  <div class="snippet">
    <CopyField label="A receiver in Node" value={SNIPPET} rows={20} />
  </div>
);

/** All of it, to look up later. */
export const Receiver = () => (
  <details class="panel receiver">
    <summary>
      <h2>What the receiver must do</h2>
    </summary>
    <div class="stack">
      <Duties />
      <Snippet />
    </div>
  </details>
);

const SNIPPET = `// npm install express standardwebhooks
import express from 'express';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);

express()
  .post('/webhooks/users', express.text({ type: 'application/json', limit: '1mb' }), (request, response) => {
    let event;
    try {
      event = webhook.verify(request.body, request.headers);
    } catch {
      response.sendStatus(401); // not signed with the secret, or older than five minutes
      return;
    }
    console.log(event.type, event.id); // put it into a queue of yours
    response.sendStatus(204);
  })
  .listen(8080);`;
