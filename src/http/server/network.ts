import { isIP } from 'node:net';
import { carriedIpv4, ipv6Groups } from './ip-address';

/**
 * The network of an address: an IPv4 address itself, or the first 64 bits of an IPv6 address, because a single customer
 * usually has all addresses in such a network. Whatever else a proxy forwards counts as one shared caller.
 */
export function networkOf(address = ''): string {
  const [plain] = withoutPort(address).split('%'); // without the zone of a link-local address
  if (isIP(plain) === 6) return carriedIpv4(plain) ?? ipv6Groups(plain).slice(0, 4).join(':');
  return isIP(plain) === 4 ? plain : 'unknown';
}

/** Some proxies forward an address with its port: `192.0.2.1:443`, `[2001:db8::1]:443`. */
const withoutPort = (address: string): string =>
  address.replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1').replace(/^\[(.*)\](?::\d+)?$/, '$1');
