import type { Event } from '../../client/index.ts';
import { directoryLabelOf } from '../users/user/directory.ts';

/** An event, possibly of a newer service with more kinds of events. */
export type Entry = Pick<Event, 'actor' | 'data'> & {
  onBehalfOf?: Event['onBehalfOf'];
  type: string;
  source: string;
  target: { type: string; id: string };
};

/** A name, which the page sets apart so that it cannot pass for a part of the sentence. */
export interface Name {
  name: string;
  /** The id of whom or what it names, which may have a page. */
  id?: string;
  isQuiet?: boolean;
}

/** Words, or a name. */
export type Part = string | Name;

/** The name of a user of whom an event has only the id: null if nobody knows it, undefined while it is asked for. */
export type NameOf = (id: string) => string | null | undefined;

const NOBODY: NameOf = () => null;

/** Says what happened, in the past tense: “Nightly sync revoked the token CI”. */
export function sentenceOf(entry: Entry, nameOf = NOBODY): Part[] {
  const { type, data } = entry;
  const actor = actorOf(entry);
  const target = targetOf(entry);
  switch (type) {
    case 'group.member_added':
      return [...actor, ' added ', ...memberOf(entry, nameOf), ' to ', ...target];
    case 'group.member_removed':
      return [...actor, ' removed ', ...memberOf(entry, nameOf), ' from ', ...target];
    case 'user.purged':
      return [...actor, ' purged a deleted user'];
    case 'token.expiring':
      return [...capitalized(target), hasLeft(data?.days)];
    case 'token.expired':
      return [...capitalized(target), ' expired'];
  }
  if (type.endsWith('.updated')) return [...actor, ...changeOf(entry)];
  const action = actionOf(entry);
  return action ? [...actor, ` ${action} `, ...target] : [...actor, ` caused ${type} of `, ...target];
}

/** What was done, without whom it was done to: “deleted”, “changed the role of”. Undefined if it is not known here. */
export function actionOf({ type, data, target }: Entry): string | undefined {
  const [, verb] = type.split('.');
  if (verb !== 'updated') return VERBS.find((known) => known === verb);
  const { fields, isOfDirectory } = changedFields(data);
  const [field] = fields;
  const value = recordIn(data, target.type)?.[field];
  if (fields.length === 1 && field in FLAGS && typeof value === 'boolean') return FLAGS[field][value ? 0 : 1];
  if (fields.length === 0) return 'changed';
  return `changed the ${list.format(fields.map(isOfDirectory ? labelOf : wordsOf))} of`;
}

/** What setting and clearing a flag is called. */
const FLAGS: Record<string, [set: string, cleared: string]> = {
  active: ['activated', 'deactivated'],
  enabled: ['turned on', 'turned off'],
};

/** The name of what the event is about, or its id if the name is gone. */
export const targetNameOf = ({ target, data }: Entry): string => nameIn(data, target.type) ?? target.id;

const VERBS = ['created', 'deleted', 'restored', 'rotated', 'revoked', 'disabled', 'suspended', 'resumed'];

/** “CI pipeline on behalf of ada@example.com” if the token says for whom it acts. */
export function actorOf(entry: Entry): Part[] {
  const { onBehalfOf } = entry;
  return onBehalfOf
    ? [...programOf(entry), ' on behalf of ', { name: onBehalfOf, isQuiet: true }]
    : programOf(entry);
}

function programOf({ actor, source }: Entry): Part[] {
  const { type, name, id } = actor;
  const named = { name, id: id ?? undefined };
  if (type === 'token') return source === 'scim' ? ['The directory ', named] : [named];
  if (source === 'sign-in') return ['A sign-in (', named, ')'];
  if (source === 'federation') return ['The issuer ', named];
  if (source === 'cli') return ['A command (', named, ')'];
  if (source === 'application') return ['The application'];
  if (source === 'api') return ['The operator'];
  return ['The service'];
}

export function targetOf({ target: { type, id }, data }: Entry): Part[] {
  const name = nameIn(data, type);
  if (type === 'user') return name === undefined ? ['a user who has been purged'] : [{ name, id }];
  return [`the ${type} `, { name: name ?? id, id }];
}

/** The id of the user who was added to a group or removed from it. */
export function memberIdOf({ type, data }: Entry): string | undefined {
  const id = type.startsWith('group.member_') ? recordIn(data, 'user')?.id : undefined;
  return typeof id === 'string' ? id : undefined;
}

export function memberOf(entry: Entry, nameOf: NameOf): Part[] {
  const id = memberIdOf(entry);
  const name = id === undefined ? undefined : nameOf(id);
  if (id === undefined || name === undefined) return ['a user'];
  return name === null ? ['the user ', { name: shortened(id), id }] : [{ name, id }];
}

/** `usr_…3k2p`: the end tells ids apart, which begin with the time. */
export const shortened = (id: string) => `${id.slice(0, 4)}…${id.slice(-4)}`;

/** The fields that a change has changed. */
function changedFields(data: Entry['data']): { fields: string[]; isOfDirectory: boolean } {
  const { directory, ...previous } = recordIn(data, 'previous') ?? {};
  // A directory changes fields by their attributes, so these are named only if no field has changed.
  const fields = Object.keys(previous);
  return fields.length > 0
    ? { fields, isOfDirectory: false }
    : { fields: Object.keys(directory ?? {}), isOfDirectory: true };
}

/** What was changed, with the values if it was a text. */
function changeOf(entry: Entry): Part[] {
  const {
    data,
    target: { type },
  } = entry;
  const target = targetOf(entry);
  const { fields, isOfDirectory } = changedFields(data);
  const [field] = fields;
  const before = recordIn(data, 'previous')?.[field];
  const after = recordIn(data, type)?.[field];
  if (fields.length !== 1 || isOfDirectory || typeof before !== 'string' || typeof after !== 'string')
    return [` ${actionOf(entry)} `, ...target];
  const values = [{ name: valueOf(field, before) }, ' to ', { name: valueOf(field, after) }];
  if (field === 'name' || field === 'displayName')
    return [type === 'user' ? ' renamed ' : ` renamed the ${type} `, ...values];
  return [` changed the ${wordsOf(field)} of `, ...target, ' from ', ...values];
}

const valueOf = (field: string, value: string) => (field === 'role' ? titleOf(value) : value);

const WORDS: Record<string, string> = { active: 'state', enabled: 'state', types: 'events', url: 'URL' };

/** `externalId` is “external ID”. */
const wordsOf = (field: string) =>
  WORDS[field] ?? field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/ id$/, ' ID');

/** “Job title” is “job title”, but “ID in the directory” stays. */
const labelOf = (attribute: string) =>
  directoryLabelOf(attribute).replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());

const list = new Intl.ListFormat('en');

const hasLeft = (days: unknown) =>
  typeof days === 'number' ? ` had ${days} ${days === 1 ? 'day' : 'days'} left` : ' was about to expire';

export const capitalized = ([first, ...rest]: Part[]): Part[] =>
  typeof first === 'string' ? [titleOf(first), ...rest] : [first, ...rest];

const titleOf = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

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
