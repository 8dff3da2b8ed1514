import type { Event } from '../../client/index.ts';
import { directoryLabelOf } from '../users/user/directory.ts';

/** An event, possibly of a newer service with more kinds of events. */
export type Entry = Pick<Event, 'actor' | 'data'> & {
  onBehalfOf?: Event['onBehalfOf'];
  type: string;
  source: string;
  target: { type: string; id: string };
};

/** Words, or a name, which the page sets apart so that it cannot pass for a part of the sentence. */
export type Part = string | { name: string };

/** Says what happened, in the past tense: “Nightly sync revoked the token CI”. */
export function sentenceOf(entry: Entry): Part[] {
  const { type, data } = entry;
  const actor = actorOf(entry);
  const target = targetOf(entry);
  switch (type) {
    case 'user.updated':
    case 'group.updated':
      return [...actor, ...changeOf(entry)];
    case 'group.member_added':
      return [...actor, ' added ', ...memberOf(entry), ' to ', ...target];
    case 'group.member_removed':
      return [...actor, ' removed ', ...memberOf(entry), ' from ', ...target];
    case 'user.purged':
      return [...actor, ' purged a deleted user'];
    case 'token.expiring':
      return [...capitalized(target), hasLeft(data?.days)];
    case 'token.expired':
      return [...capitalized(target), ' expired'];
  }
  const [, action] = type.split('.');
  const verb = action === 'updated' ? 'changed' : VERBS.find((verb) => verb === action);
  return verb ? [...actor, ` ${verb} `, ...target] : [...actor, ` caused ${type} of `, ...target];
}

/** The name of what the event is about, or its id if the name is gone. */
export const targetNameOf = ({ target, data }: Entry): string => nameIn(data, target.type) ?? target.id;

const VERBS = ['created', 'deleted', 'restored', 'rotated', 'revoked', 'disabled', 'suspended', 'resumed'];

/** “CI pipeline, for ada@example.com,” if the token says for whom it acts. */
function actorOf(entry: Entry): Part[] {
  const { onBehalfOf } = entry;
  return onBehalfOf ? [...programOf(entry), ', for ', { name: onBehalfOf }, ','] : programOf(entry);
}

function programOf({ actor, source }: Entry): Part[] {
  if (actor.type === 'token')
    return source === 'scim' ? ['The directory ', { name: actor.name }] : [{ name: actor.name }];
  if (source === 'sign-in') return ['A sign-in (', { name: actor.name }, ')'];
  if (source === 'federation') return ['The issuer ', { name: actor.name }];
  if (source === 'cli') return ['A command (', { name: actor.name }, ')'];
  if (source === 'application') return ['The application'];
  if (source === 'api') return ['The operator'];
  return ['The service'];
}

function targetOf({ target: { type, id }, data }: Entry): Part[] {
  const name = nameIn(data, type);
  if (type === 'user') return name === undefined ? ['a user who has been purged'] : [{ name }];
  return [`the ${type} `, { name: name ?? id }];
}

/** The id of the user who was added to a group or removed from it: the event has no name. */
const memberOf = ({ data }: Entry): Part[] => ['the user ', { name: String(recordIn(data, 'user')?.id) }];

/** The changes of a user or a group. */
function changeOf(entry: Entry): Part[] {
  const target = targetOf(entry);
  const record = recordIn(entry.data, entry.target.type) ?? {};
  const { directory, ...previous } = recordIn(entry.data, 'previous') ?? {};
  // A directory changes fields by their attributes, so these are named only if no field has changed.
  const isOfFields = Object.keys(previous).length > 0;
  const fields = Object.keys(isOfFields ? previous : (directory ?? {}));
  const [field] = fields;
  const [before, after] = [previous[field], record[field]];
  if (fields.length === 1 && typeof after === 'boolean' && field === 'active')
    return [after ? ' activated ' : ' deactivated ', ...target];
  if (fields.length !== 1 || typeof before !== 'string' || typeof after !== 'string')
    return fields.length === 0
      ? [' changed ', ...target]
      : [` changed the ${list.format(fields.map(isOfFields ? wordsOf : labelOf))} of `, ...target];
  if (field === 'name') return [' renamed ', { name: before }, ' to ', { name: after }];
  if (field === 'displayName') return [' renamed the group ', { name: before }, ' to ', { name: after }];
  return [
    ` changed the ${wordsOf(field)} of `,
    ...target,
    ' from ',
    { name: before },
    ' to ',
    { name: after },
  ];
}

/** `externalId` is “external id”. */
const wordsOf = (field: string) => field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** “Job title” is “job title”, but “ID in the directory” stays. */
const labelOf = (attribute: string) =>
  directoryLabelOf(attribute).replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());

const list = new Intl.ListFormat('en');

const hasLeft = (days: unknown) =>
  typeof days === 'number' ? ` had ${days} ${days === 1 ? 'day' : 'days'} left` : ' was about to expire';

const capitalized = ([first, ...rest]: Part[]): Part[] =>
  typeof first === 'string' ? [first[0].toUpperCase() + first.slice(1), ...rest] : [first, ...rest];

function nameIn(data: Entry['data'], type: string): string | undefined {
  const record = recordIn(data, type);
  const name =
    type === 'webhook'
      ? (record?.description ?? record?.url)
      : record?.[type === 'group' ? 'displayName' : 'name'];
  return typeof name === 'string' ? name : undefined;
}

export function recordIn(data: Entry['data'], key: string): Record<string, unknown> | undefined {
  const value = data?.[key];
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}
