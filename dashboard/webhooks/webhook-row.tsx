import type { Webhook } from '../../client/index.ts';
import { CodeChips } from '../ui/code-chips.tsx';
import { Menu } from '../ui/menu.tsx';
import { Cell, Row } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';
import { nameOf } from './name-of.ts';

interface Props {
  webhook: Webhook;
  onOpen(dialog: 'edit' | 'deliveries' | 'rotate' | 'delete'): void;
}

export const WebhookRow = ({ webhook, onOpen }: Props) => (
  <Row>
    <Cell class="main">
      <strong>{nameOf(webhook)}</strong>
      {webhook.description && <code class="sub">{webhook.url}</code>}
    </Cell>
    <Cell label="Events">
      <CodeChips names={webhook.types.map((type) => (type === '*' ? 'all' : type))} />
    </Cell>
    <Cell label="Last success">
      {webhook.lastSuccessAt ? <Ago iso={webhook.lastSuccessAt} /> : <span class="quiet">None yet</span>}
    </Cell>
    <Cell label="State">
      <Health webhook={webhook} />
    </Cell>
    <Cell class="actions">
      <Menu
        label={`Actions for ${nameOf(webhook)}`}
        items={[
          { title: 'Deliveries', onChoose: () => onOpen('deliveries') },
          { title: 'Edit', onChoose: () => onOpen('edit') },
          { title: 'Rotate secret', onChoose: () => onOpen('rotate') },
          { title: 'Delete', danger: true, onChoose: () => onOpen('delete') },
        ]}
      />
    </Cell>
  </Row>
);

const REASONS: Record<string, string> = {
  gone: 'The receiver answered that it is gone.',
  failing: 'The receiver failed for five days.',
};

function Health({ webhook: { enabled, disabledReason, failingSince } }: { webhook: Webhook }) {
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
