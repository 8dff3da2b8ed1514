import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 make every object among the young ones. Else it learns from which places objects live long, and makes those among
 * the old, where each keeps what it refers to until the next full collection. Of a service that happens to learn it of what
 * belongs to a request, a request takes half as much CPU again, and its slowest ones twice their time, until it is restarted.
 */
export const makeObjectsYoung = () => setFlagsFromString('--no-allocation-site-pretenuring');
