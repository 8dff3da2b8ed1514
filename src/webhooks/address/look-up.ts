import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
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

/** Where a system names its own addresses, as `localhost`. */
const HOSTS_FILE =
  process.platform === 'win32' ? `${process.env.SystemRoot}\\System32\\drivers\\etc\\hosts` : '/etc/hosts';

/** For operators who allow private networks: also finds names in the system's file of hosts. */
export const lookUpPrivately: LookUp = async (host, signal) => {
  const found = await lookUp(host, signal);
  if (found.length > 0 || signal.aborted) return found;
  return addressesIn(await readFile(HOSTS_FILE, 'utf8').catch(() => ''), host);
};

/**
 * The addresses of a name in a file of hosts: lines of an address, its names and perhaps a comment. The file of Windows
 * leaves out `localhost`.
 */
export function addressesIn(hosts: string, name: string): string[] {
  const found = hosts.split('\n').flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return isIP(address) !== 0 && names.includes(name.toLowerCase()) ? [address] : [];
  });
  if (found.length === 0 && name.toLowerCase() === 'localhost') return ['127.0.0.1', '::1'];
  return [...new Set(found)];
}
