import type { Webhook } from '../../client/index.ts';
import { ORDERINGS, PAYLOADS } from '../activity/webhook-values.ts';
import { CodeChips } from '../ui/code-chips.tsx';
import { CopyId } from '../ui/copy.tsx';
import { Facts } from '../ui/facts.tsx';
import { Moment } from '../ui/time.tsx';
import { Health, typeNames } from './webhook-columns.tsx';

/** All fields of a webhook. */
export const WebhookFacts = ({ webhook }: { webhook: Webhook }) => (
  <Facts
    facts={[
      ['State', <Health webhook={webhook} />],
      ['URL', <code>{webhook.url}</code>],
      ['Events', <CodeChips names={typeNames(webhook)} />],
      ['Content', PAYLOADS[webhook.payload]],
      ['Order', ORDERINGS[webhook.ordering]],
      [
        'Last success',
        webhook.lastSuccessAt ? <Moment iso={webhook.lastSuccessAt} /> : <span class="quiet">None yet</span>,
      ],
      ['Created', <Moment iso={webhook.createdAt} />],
      ['ID', <CopyId id={webhook.id} />],
    ]}
  />
);
