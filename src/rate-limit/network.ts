import { isIP } from 'node:net';

/**
 * The network of an address: an IPv4 address itself, or the first 64 bits of an IPv6 address, because a single customer usually has
 * all addresses behind them. Anything that is not an IP address, as a proxy may forward it, counts as one shared caller.
 */
export function networkOf(address = ''): string {
  const [plain] = withoutPort(address).split('%'); // without the zone of a link-local address
  if (isIP(plain) !== 6) return isIP(plain) === 4 ? plain : 'unknown';
  const groups = groupsOf(plain);
  if (!CARRIERS_OF_IPV4.includes(groups.slice(0, 6).join())) return groups.slice(0, 4).join(':');
  return groups
    .slice(6)
    .flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255])
    .join('.');
}

/** IPv4-mapped addresses, and those of NAT64, which translates everybody's IPv4 addresses into one network. */
const CARRIERS_OF_IPV4 = ['0,0,0,0,0,ffff', '64,ff9b,0,0,0,0'];

/** Some proxies forward an address with its port: `192.0.2.1:443`, `[2001:db8::1]:443`. */
const withoutPort = (address: string): string =>
  address.replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1').replace(/^\[(.*)\](?::\d+)?$/, '$1');

/** The eight groups of an IPv6 address, in lower case and without leading zeros. */
function groupsOf(address: string): string[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head, tail = []] = canonical.split('::').map((part) => (part === '' ? [] : part.split(':')));
  return [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
}
