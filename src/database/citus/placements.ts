/**
 * Where a table is on a Citus cluster:
 * - `distributed`: in shards by `organization_id`, so that all rows of an organization are on one node
 * - `reference`: whole on every node
 * - `local`: on the coordinator alone
 */
export type Placement = 'distributed' | 'reference' | 'local';

/** Every table of the service, in the order of their foreign keys. A migration that adds a table adds a line here. */
export const PLACEMENTS: Readonly<Record<string, Placement>> = {
  organizations: 'reference',
  ums_migrations: 'reference',
  // A token must be revocable whatever node is down.
  tokens: 'local',
  token_events: 'local',
  users: 'distributed',
  deleted_users: 'distributed',
  user_search: 'distributed',
  search_words: 'distributed',
  replaced_texts: 'distributed',
  purges: 'distributed',
  idempotency_keys: 'distributed',
  events: 'distributed',
  event_heads: 'distributed',
  rate_limit_windows: 'distributed',
  event_subscribers: 'local',
  event_cursors: 'distributed',
};
