import type { User } from '../../../client/index.ts';
import { Facts } from '../../ui/facts.tsx';
import { EditablePanel, type EditingEvents } from '../edit/editable-panel.tsx';
import { FACTS, INPUTS } from '../user/fields.tsx';

interface Props {
  user: User;
  events: EditingEvents | undefined;
}

const DETAILS = INPUTS.filter(({ name }) => name !== 'metadata');

/** What everybody wants to know of a user first, and what only programs do last. */
export const DetailsPanel = ({ user, events }: Props) => (
  <EditablePanel title="Details" user={user} inputs={DETAILS} events={events} shortcut="E">
    <Facts facts={FACTS.map(({ title, value }) => [title, value(user)])} />
  </EditablePanel>
);
