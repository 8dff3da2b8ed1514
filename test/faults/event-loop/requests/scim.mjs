// What lists of users and of groups have in common, and their searches.
import { elements, filled, KB, keys, list } from '../bodies.mjs';

export const PAGE = 'count=200';
export const filter = (text) => `${PAGE}&filter=${encodeURIComponent(text)}`;

const CONDITION = 'userName eq "a"';
const FILTERED = 'emails[type eq "a,b"].value,';
/** As long as a URL may be. */
const NAMES = {
  unknown: filled(14 * KB, 'a,'),
  known: filled(14 * KB, 'emails.value,'),
  filtered: filled(13 * KB, encodeURIComponent(FILTERED)),
  brackets: filled(13 * KB, encodeURIComponent('["')),
};
const conditions = (count) => list(count, () => CONDITION).join(' and ');
const refused = (request) => ({ ...request, status: [200, 400] });

/** Attributes that are asked for, or left out. */
export const attributes = (query = '') => ({
  'unknown names': () => ({ query: `${query}&attributes=${NAMES.unknown}` }),
  'known names': () => ({ query: `${query}&attributes=${NAMES.known}` }),
  'without unknown names': () => ({ query: `${query}&excludedAttributes=${NAMES.unknown}` }),
  'without known names': () => ({ query: `${query}&excludedAttributes=${NAMES.known}` }),
  'names with filters': () => ({ query: `${query}&attributes=${NAMES.filtered}` }),
  'without names with filters': () => ({ query: `${query}&excludedAttributes=${NAMES.filtered}` }),
  'brackets as names': () => refused({ query: `${query}&attributes=${NAMES.brackets}` }),
});

export const LIST = {
  'a full page': () => ({ query: PAGE }),
  'a full page by cursor': () => ({ query: `${PAGE}&cursor=` }),
  'many conditions': () => refused({ query: filter(conditions(500)) }),
  'a long text': () => refused({ query: filter(`userName eq "${'x'.repeat(13 * KB)}"`) }),
  'many parentheses': () => refused({ query: `${PAGE}&filter=${'('.repeat(13 * KB)}` }),
  ...attributes(PAGE),
};

export const SEARCH = {
  'a full page': () => ({ body: { count: 200 } }),
  'many conditions': () => refused({ body: { filter: conditions(2_800) } }),
  'a long text': () => refused({ body: { filter: `userName eq "${'x'.repeat(63 * KB)}"` } }),
  'unknown names': () => ({ body: { count: 200, attributes: list(15_000, () => 'a') } }),
  'known names': () => ({ body: { count: 200, attributes: list(4_000, () => 'emails.value') } }),
  'without unknown names': () => ({
    body: { count: 200, excludedAttributes: list(8_000, (n) => `${n.toString(36)}.a`) },
  }),
  'without known names': () => ({
    body: { count: 200, excludedAttributes: list(4_000, () => 'emails.type') },
  }),
  'names with filters': () => ({ body: { count: 200, attributes: list(1_900, () => FILTERED) } }),
  'one text of names with filters': () => ({
    body: { count: 200, attributes: filled(50 * KB, FILTERED) },
  }),
  brackets: () => refused({ body: { count: 200, attributes: filled(63 * KB, '[') } }),
  'unknown keys': () => ({ body: `{"count":200,${keys(63 * KB)}}` }),
  objects: () => ({ body: `{"count":200,"a":${elements(63 * KB)}}` }),
};
