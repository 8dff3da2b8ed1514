// The attacks, each beside a control of the same rate that does no harm. A new one is an entry of the table of its
// file.
import { CONNECTIONS } from './connections.mjs';
import { READS } from './reads.mjs';
import { WRITES } from './writes.mjs';

/**
 * - `prepare` runs before both, and returns what they take as their second argument.
 * - `organization` names one that several attacks share; by default each gets an empty one.
 * - `tokens`: how many tokens the attack needs to stay below its limits; by default one.
 * - `embedded`: the attack also runs against the embedded database.
 */
export const ATTACKS = { ...WRITES, ...READS, ...CONNECTIONS };
