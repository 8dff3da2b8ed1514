import { isIPv6 } from 'node:net';

/** The first 96 bits of IPv6 addresses that stand for an IPv4 address: mapped ones, and those of NAT64 (RFC 6052). */
const CARRIERS = ['0,0,0,0,0,ffff', '64,ff9b,0,0,0,0'];

/** An IPv6 address without a zone, as in fe80::1%eth0, which belongs to one link. */
export const isUnscopedIpv6 = (address: string): boolean => isIPv6(address) && !address.includes('%');

/** The eight groups of an IPv6 address without a zone, in lower case and without leading zeros. */
export function ipv6Groups(address: string): string[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
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
