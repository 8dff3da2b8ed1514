import { type BlockList, isIPv4, isIPv6 } from 'node:net';
import { GLOBAL_IPV6, networksOf, SPECIAL_IPV4, SPECIAL_IPV6 } from './special-networks';

const specialIpv4 = networksOf(SPECIAL_IPV4);
const globalIpv6 = networksOf([GLOBAL_IPV6]);
const specialIpv6 = networksOf(SPECIAL_IPV6);

/** IPv6 addresses that stand for an IPv4 address: mapped ones, and those of NAT64 (RFC 6052). */
const CARRIER = /^(?:::ffff:|64:ff9b::)(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})$/;

/** The addresses that a webhook may reach: public ones, and those that the operator has allowed. */
export class Reach {
  private readonly allowed: BlockList;

  /** CIDRs of private networks that a webhook may reach, also by http. */
  constructor(allowedNetworks: readonly string[]) {
    this.allowed = networksOf(allowedNetworks);
    this.allowsSome = allowedNetworks.length > 0;
  }

  readonly allowsSome: boolean;

  /** Whether this address may be reached: a public one by https, an allowed one also by http. */
  includes(address: string, isSecure: boolean): boolean {
    const carried = carriedBy(address);
    const isAllowed = [address, carried].some((one) => one !== undefined && this.allows(one));
    return isAllowed || (isSecure && isPublic(address));
  }

  private allows(address: string): boolean {
    if (isIPv4(address)) return this.allowed.check(address, 'ipv4');
    return isUnscoped(address) && carriedBy(address) === undefined && this.allowed.check(address, 'ipv6');
  }
}

/** Whether this is a public address on the Internet. */
export function isPublic(address: string): boolean {
  const ipv4 = carriedBy(address) ?? address;
  if (isIPv4(ipv4)) return !specialIpv4.check(ipv4, 'ipv4');
  return isUnscoped(address) && globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

/** An address with a zone, as in fe80::1%eth0, belongs to one link. */
const isUnscoped = (address: string) => isIPv6(address) && !address.includes('%');

/** The IPv4 address that an IPv6 address stands for. */
function carriedBy(address: string): string | undefined {
  if (!isUnscoped(address)) return undefined;
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const match = CARRIER.exec(canonical);
  if (!match) return undefined;
  const [high, low] = [match[1] ?? '0', match[2]].map((group) => parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
