const MB = 1024 * 1024;

/** A limit of what a replica does or holds at once. Owners are organizations, unless its comment names others. */
export interface Limit {
  /** What it limits, for the table in docs/operations.md. */
  of: string;
  /** How much all owners together may have. Default: no limit. */
  size?: number;
  /** How much one owner may have; `free`: as much as is free, so half of it at most. Default: as much as all. */
  share?: number | 'free';
  /** What happens to a newcomer; `evict`: the owner that holds the most loses its oldest instead. Default: `wait`. */
  whenFull?: 'wait' | 'refuse' | 'evict' | 'yield';
  /** A newcomer that has waited for so long is refused. */
  patienceMs?: number;
  /** How many of one owner may wait, in each class. Further ones are refused. */
  maxWaiting?: number;
  /** A task that takes longer leaves its place to others and goes on. */
  lateAfterMs?: number;
  /** What the 503 of one that is refused says. */
  refusal?: string;
}

const QUEUE = {
  patienceMs: 10_000,
  maxWaiting: 1_000,
  refusal: 'Too many requests of the organization are in progress. Try again.',
};
const BODIES_IN_PROGRESS = 'Too many request bodies are in progress. Try again.';

/** Every limit that organizations share. docs/operations.md shows them in a table, which a test compares with these. */
export const LIMITS = {
  /**
   * As parts of the pool. The rest is for the look-ups of tokens and the rate limit. On a cluster, the organizations of
   * a node also have the share of one together, because they fail together. An organization may wait with as many
   * statements of a class as a token may send requests in a minute.
   */
  connections: { of: 'connections of the pool', size: 0.9, share: 0.5, ...QUEUE },
  /** A write may wait for a lock of another one. Writes and heavy work leave some to quick work. */
  writes: { of: '… for writes', size: 0.4, share: 0.2, ...QUEUE },
  /** With more patience: in a small pod a batch takes a second or two, and a dozen would be refused and come again. */
  heavy: {
    of: '… for searches, long pages and batches',
    size: 0.3,
    share: 0.2,
    ...QUEUE,
    patienceMs: 20_000,
  },
  /** A caller without a token is its network. Nobody waits for these bytes, so bodies that stall keep nobody out. */
  bodiesInFlight: {
    of: 'bytes of bodies that arrive, before parsing',
    size: 16 * MB,
    whenFull: 'evict',
    refusal: BODIES_IN_PROGRESS,
  },
  /** Apart from the large ones, so that neither keeps the other waiting. */
  smallBodies: {
    of: 'bytes of parsed bodies up to 64 KB',
    size: 4 * MB,
    share: MB,
    patienceMs: 5_000,
    refusal: BODIES_IN_PROGRESS,
  },
  /** One of 1 MB can take 22 MB once it is parsed, and a short batch may have as many elements as a long one. */
  largeBodies: {
    of: 'parsed bodies over 64 KB',
    size: 4,
    share: 'free',
    patienceMs: 5_000,
    refusal: BODIES_IN_PROGRESS,
  },
  /** Issuers are the owners: a silent one must not use up the memory for other bodies. */
  bodiesForIssuers: {
    of: 'bytes of bodies that wait, by issuer',
    size: MB,
    share: 'free',
    whenFull: 'refuse',
    refusal: BODIES_IN_PROGRESS,
  },
  /** A sixth of the memory that a replica may take. Evicted is the connection. */
  unsentBytes: { of: 'bytes of responses that are not read yet', size: 64 * MB, whenFull: 'evict' },
  attempts: { of: 'attempts to deliver to webhooks', size: 50, share: 25, lateAfterMs: 1_000 },
  /** Apart from the others, which never wait for these. */
  attemptsAtStruggling: { of: '… to receivers that fail or are slow', size: 20, share: 10 },
  /** What waits is in the database, and whichever process has a free place claims it. */
  webhooks: { of: 'webhooks at work', size: 200, lateAfterMs: 1_500 },
  subscribed: {
    of: 'organizations at work for a subscriber',
    size: 10,
    lateAfterMs: 1_500,
  },
  /** Slow ones have places of their own, so that neither they nor the others wait for each other. */
  slow: { of: 'slow webhooks and organizations, in addition', size: 100 },
  late: { of: 'late webhooks and organizations, in addition', size: 100 },
  numbering: {
    of: 'organizations whose events are numbered',
    size: 4,
    share: 1,
    lateAfterMs: 500,
  },
  /** Otherwise a busy user or group would hold all connections of its organization. */
  oneAtATime: { of: 'writes of a user or group, requests of a key', share: 1 },
  /** A request needs several rounds of the event loop. Long work lets others have a round after each 10 ms. */
  longWork: { of: 'time of the event loop for long work', size: 0.5, whenFull: 'yield' },
  /** However much there is to look at. */
  looking: { of: 'time for finding what is due to receivers', size: 0.05 },
} satisfies Record<string, Limit>;
