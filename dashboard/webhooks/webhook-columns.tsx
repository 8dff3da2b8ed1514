import type { Webhook } from '../../client/index.ts';
import { CodeChips } from '../ui/code-chips.tsx';
import { Menu } from '../ui/menu.tsx';
import { ACTIONS, type Column } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';
import { nameOf } from './name-of.ts';

export type WebhookDialog = 'edit' | 'deliveries' | 'rotate' | 'delete';

export const webhookColumns = (
  open: (dialog: WebhookDialog, webhook: Webhook) => void,
): Column<Webhook>[] => [
  {
    title: 'Webhook',
    class: 'main',
    value: (webhook) => (
      <>
        <strong>{nameOf(webhook)}</strong>
        {webhook.description && <code class="sub">{webhook.url}</code>}
      </>
    ),
  },
  {
    title: 'Events',
    value: ({ types }) => <CodeChips names={types.map((type) => (type === '*' ? 'all' : type))} />,
  },
  {
    title: 'Last success',
    value: ({ lastSuccessAt: at }) => (at ? <Ago iso={at} /> : <span class="quiet">None yet</span>),
  },
  { title: 'State', value: (webhook) => <Health webhook={webhook} /> },
  {
    ...ACTIONS,
    value: (webhook) => (
      <Menu
        label={`Actions for ${nameOf(webhook)}`}
        items={[
          { title: 'Deliveries', onChoose: () => open('deliveries', webhook) },
          { title: 'Edit', onChoose: () => open('edit', webhook) },
          { title: 'Rotate secret', onChoose: () => open('rotate', webhook) },
          { title: 'Delete', danger: true, onChoose: () => open('delete', webhook) },
        ]}
      />
    ),
  },
];

const REASONS: Record<string, string> = {
  gone: 'The receiver answered that it is gone.',
  failing: 'The receiver failed for five days.',
};

/** Whether a webhook works, and why not. */
export function Health({ webhook: { enabled, disabledReason, failingSince } }: { webhook: Webhook }) {
  if (!enabled)
    return (
      <>
        <span class="state revoked">disabled</span>
        {disabledReason && <span class="quiet sub">{REASONS[disabledReason] ?? disabledReason}</span>}
      </>
    );
  if (!failingSince) return <span class="state active">enabled</span>;
  return (
    <span class="chip warning">
      First failed <Ago iso={failingSince} />
    </span>
  );
}
