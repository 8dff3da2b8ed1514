import { isIP, isIPv6 } from 'node:net';

/** The first 96 bits of IPv6 addresses that stand for an IPv4 address: mapped ones, and those of NAT64 (RFC 6052). */
const CARRIERS = ['0,0,0,0,0,ffff', '64,ff9b,0,0,0,0'];

/** An IPv6 address without a zone, as in fe80::1%eth0, which belongs to one link. */
export const isUnscopedIpv6 = (address: string): boolean => isIPv6(address) && !address.includes('%');

/** The one way to write an IPv6 address without a zone (RFC 5952). */
export const canonicalIpv6 = (address: string): string =>
  new URL(`http://[${address}]`).hostname.slice(1, -1);

/** The eight groups of an IPv6 address without a zone, in lower case and without leading zeros. */
export const ipv6Groups = (address: string): string[] => groupsOf(canonicalIpv6(address));

/** The same of a canonical address, in a tenth of the time. */
export function groupsOf(canonical: string): string[] {
  const [head, tail = []] = canonical.split('::').map((part) => (part === '' ? [] : part.split(':')));
  return [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
}

/** The IPv4 address that an IPv6 address stands for; undefined if it stands for none. */
export function carriedIpv4(address: string): string | undefined {
  if (!isUnscopedIpv6(address)) return undefined;
  const groups = ipv6Groups(address);
  if (!CARRIERS.includes(groups.slice(0, 6).join())) return undefined;
  return groups
    .slice(6)
    .flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255])
    .join('.');
}

/**
 * The network of an address: an IPv4 address itself, or the first 64 bits of an IPv6 address, because a single customer
 * usually has all addresses in such a network. Whatever else a proxy forwards counts as one shared caller.
 */
export function networkOf(address?: string): string {
  const plain = plainAddress(address);
  if (plain === undefined) return 'unknown';
  return isIPv6(plain) ? ipv6Groups(plain).slice(0, 4).join(':') : plain;
}

/**
 * The address of a caller without a port and the zone of a link-local address, as IPv4 if it stands for one;
 * undefined if it is none.
 */
export function plainAddress(address = ''): string | undefined {
  const [plain] = withoutPort(address).split('%');
  return isIP(plain) === 0 ? undefined : (carriedIpv4(plain) ?? plain);
}

/** Some proxies forward an address with its port: `192.0.2.1:443`, `[2001:db8::1]:443`. */
const withoutPort = (address: string): string =>
  address.replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1').replace(/^\[(.*)\](?::\d+)?$/, '$1');
