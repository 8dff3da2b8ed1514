import type { Webhook } from '../../client/index.ts';
import { Link } from '../router/link.tsx';
import { navigate } from '../router/place.ts';
import { CodeChips } from '../ui/code-chips.tsx';
import { Menu } from '../ui/menu.tsx';
import { ACTIONS, type Column } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';
import { editPath, nameOf } from './name-of.ts';
import type { OpenWebhookDialog } from './webhook-dialogs.tsx';

export const webhookColumns = (open: (dialog: OpenWebhookDialog) => void): Column<Webhook>[] => [
  {
    title: 'Webhook',
    class: 'main',
    value: (webhook) => (
      <>
        <Link to={`webhooks/${webhook.id}`} class="name webhook-name" title={nameOf(webhook)}>
          {nameOf(webhook)}
        </Link>
        {webhook.description && <code class="sub clip">{webhook.url}</code>}
      </>
    ),
  },
  {
    title: 'Events',
    width: '250px',
    value: (webhook) => <FewTypes names={typeNames(webhook)} />,
  },
  {
    title: 'Last success',
    width: '130px',
    value: ({ lastSuccessAt: at }) => (at ? <Ago iso={at} /> : <span class="quiet">None yet</span>),
  },
  { title: 'State', width: '190px', value: (webhook) => <Health webhook={webhook} /> },
  {
    ...ACTIONS,
    width: '52px',
    value: (webhook) => (
      <Menu
        label={`Actions for ${nameOf(webhook)}`}
        items={[
          { title: 'Edit', onChoose: () => navigate(editPath(webhook)) },
          { title: 'Rotate secret', onChoose: () => open({ action: 'rotate', webhook }) },
          { title: 'Delete', danger: true, onChoose: () => open({ action: 'delete', webhook }) },
        ]}
      />
    ),
  },
];

const SHOWN = 2;

/** As many as fit on a line. */
const FewTypes = ({ names }: { names: string[] }) => (
  <span class="chips">
    <CodeChips names={names.slice(0, SHOWN)} />
    {names.length > SHOWN && (
      <span class="quiet" title={names.slice(SHOWN).join(', ')}>
        and {names.length - SHOWN} more
      </span>
    )}
  </span>
);

export const typeNames = ({ types }: Webhook) => types.map((type) => (type === '*' ? 'all' : type));

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
