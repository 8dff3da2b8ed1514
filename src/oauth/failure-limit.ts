import type { NetworkLimit } from '../rate-limit/network-limiter';

/** Whoever guesses secrets fails often. Those who are right are not counted. */
export const FAILURES: NetworkLimit = { name: 'token endpoint', limit: 60, per: 'minute' };
