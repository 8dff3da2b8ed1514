import { BlockList, isIPv4 } from 'node:net';
import { carriedIpv4, isUnscopedIpv6 } from '../../platform/http/server/network';

/**
 * IPv4 networks without public receivers: all of the IANA IPv4 Special-Purpose Address Registry
 * (https://www.iana.org/assignments/iana-ipv4-special-registry), whether reachable or not, multicast (RFC 5771), and
 * the address at which Azure serves its virtual machines.
 */
export const SPECIAL_IPV4 = [
  '0.0.0.0/8', // this network (RFC 791)
  '10.0.0.0/8', // private (RFC 1918)
  '100.64.0.0/10', // behind carriers' NAT (RFC 6598)
  '127.0.0.0/8', // loopback (RFC 1122)
  '168.63.129.16/32', // Azure's platform
  '169.254.0.0/16', // link-local, with the metadata services of clouds (RFC 3927)
  '172.16.0.0/12', // private (RFC 1918)
  '192.0.0.0/24', // protocol assignments (RFC 6890)
  '192.0.2.0/24', // documentation (RFC 5737)
  '192.31.196.0/24', // AS112 (RFC 7535)
  '192.52.193.0/24', // AMT (RFC 7450)
  '192.88.99.0/24', // 6to4 relays (RFC 7526)
  '192.168.0.0/16', // private (RFC 1918)
  '192.175.48.0/24', // AS112 (RFC 7534)
  '198.18.0.0/15', // benchmarks (RFC 2544)
  '198.51.100.0/24', // documentation (RFC 5737)
  '203.0.113.0/24', // documentation (RFC 5737)
  '224.0.0.0/4', // multicast (RFC 5771)
  '240.0.0.0/4', // reserved, with the broadcast address (RFC 1112, RFC 8190)
];

/** The only IPv6 network of public addresses (RFC 4291, section 2.4, and the IANA registry of unicast addresses). */
export const GLOBAL_IPV6 = '2000::/3';

/**
 * The special networks within it (https://www.iana.org/assignments/iana-ipv6-special-registry). Everything outside,
 * such as ::1, fc00::/7, fe80::/10, 100::/64, 5f00::/16 and 64:ff9b:1::/48, is not public anyway.
 */
export const SPECIAL_IPV6 = [
  '2001::/23', // protocol assignments, with Teredo, benchmarks and ORCHID (RFC 2928)
  '2001:db8::/32', // documentation (RFC 3849)
  '2002::/16', // 6to4 (RFC 3056)
  '2620:4f:8000::/48', // AS112 (RFC 7534)
  '3fff::/20', // documentation (RFC 9637)
];

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

/** The networks as a list for look-ups. Throws if one is not a CIDR. */
export function networksOf(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network, prefix, ...rest] = cidr.split('/');
    if (rest.length > 0 || !/^\d{1,3}$/.test(prefix ?? '')) throw new Error(`${cidr} is not a network`);
    list.addSubnet(network, Number(prefix), network.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}
