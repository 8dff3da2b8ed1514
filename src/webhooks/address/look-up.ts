import { lookup as lookUpLikeTheSystem, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** The addresses of a host name. The signal ends the look-up. */
export type LookUp = (host: string, signal: AbortSignal) => Promise<string[]>;

/** A silent name server must not hold up an attempt until its timeout. */
const RESOLVER_OPTIONS = { timeout: 3_000, tries: 2 };

/**
 * Asks the name servers directly. The system's look-up, Node's default, blocks one of few threads while a name server
 * is silent, so the host names of one organization could hold up the receivers of all others, and the database.
 */
export const lookUp: LookUp = async (host, signal) => {
  if (isIP(host) !== 0) return [host];
  if (signal.aborted) return [];
  const resolver = new Resolver(RESOLVER_OPTIONS); // not shared, because cancel() ends all of its queries
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  signal.removeEventListener('abort', cancel);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
};

/** The same for operators who allow private networks: also finds names that only this system knows, as in `hosts`. */
export const lookUpPrivately: LookUp = async (host, signal) => {
  const found = await lookUp(host, signal);
  if (found.length > 0 || signal.aborted) return found;
  return (await lookUpLikeTheSystem(host, { all: true })).map(({ address }) => address);
};
