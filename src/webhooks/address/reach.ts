import { type BlockList, isIPv4 } from 'node:net';
import { carriedIpv4, isUnscopedIpv6 } from '../../http/server/network';
import { GLOBAL_IPV6, networksOf, SPECIAL_IPV4, SPECIAL_IPV6 } from './special-networks';

const specialIpv4 = networksOf(SPECIAL_IPV4);
const globalIpv6 = networksOf([GLOBAL_IPV6]);
const specialIpv6 = networksOf(SPECIAL_IPV6);

/** The addresses that a webhook may reach: public ones, and those that the operator has allowed. */
export class Reach {
  private readonly allowed: BlockList;

  /** CIDRs of private networks that a webhook may reach, also by http. */
  constructor(allowedNetworks: readonly string[] = []) {
    this.allowed = networksOf(allowedNetworks);
    this.allowsSome = allowedNetworks.length > 0;
  }

  readonly allowsSome: boolean;

  /** Whether this address may be reached: a public one by https, an allowed one also by http. */
  includes(address: string, isSecure: boolean): boolean {
    const carried = carriedIpv4(address);
    const isAllowed = [address, carried].some((one) => one !== undefined && this.allows(one));
    return isAllowed || (isSecure && isPublic(address));
  }

  private allows(address: string): boolean {
    if (isIPv4(address)) return this.allowed.check(address, 'ipv4');
    return (
      isUnscopedIpv6(address) && carriedIpv4(address) === undefined && this.allowed.check(address, 'ipv6')
    );
  }
}

/** Whether this is a public address on the Internet. */
export function isPublic(address: string): boolean {
  const ipv4 = carriedIpv4(address) ?? address;
  if (isIPv4(ipv4)) return !specialIpv4.check(ipv4, 'ipv4');
  return isUnscopedIpv6(address) && globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}
