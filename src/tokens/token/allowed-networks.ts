import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { isIP, isIPv4 } from 'node:net';
import { fault, Satisfies } from '../../platform/http/input/checks';
import { canonicalIpv6, carriedIpv4, groupsOf, plainAddress } from '../../platform/http/server/network';

const MAX_NETWORKS = 20;

/** An address, and perhaps a length. */
const NETWORK = /^((?:\d{1,3}\.){3}\d{1,3}|[\dA-Fa-f.]*:[\dA-Fa-f.:]*)(?:\/(0|[1-9]\d{0,2}))?$/;

/** A list of networks, each once. An empty one would shut out everybody. */
export const Networks = () =>
  applyDecorators(
    IsArray(fault('invalid', 'must be a list of networks, such as ["203.0.113.0/24"], or null')),
    ArrayMinSize(1, fault('too_short', 'must name at least one network; null allows requests from anywhere')),
    ArrayMaxSize(MAX_NETWORKS, fault('too_many', `must name at most ${MAX_NETWORKS} networks`)),
    EachItem(
      'isNetworkList',
      [NETWORK],
      malformedIn,
      'must be an IP address or a network without host bits, such as 203.0.113.0/24',
    ),
    EachItem('arrayUnique', [], repeatedIn, 'occurs twice'),
  );

const EachItem = (
  name: string,
  constraints: unknown[],
  keysAtFault: (value: unknown) => string[],
  message: string,
) =>
  Satisfies(
    name,
    constraints,
    (value) => keysAtFault(value).length === 0,
    fault('invalid', message, { keysAtFault }),
  );

/** The places of items that are no network. A list that is too long is at fault anyway. */
function malformedIn(value: unknown): string[] {
  return placesOf(networksIn(value), (network) => network === undefined);
}

function repeatedIn(value: unknown): string[] {
  const networks = networksIn(value);
  return placesOf(networks, (network, place) => networks.indexOf(network) < place);
}

const networksIn = (value: unknown) =>
  Array.isArray(value) ? value.slice(0, MAX_NETWORKS).map(canonicalNetwork) : [];

const placesOf = <Item>(list: Item[], isAtFault: (item: Item, place: number) => boolean): string[] =>
  list.flatMap((item, place) => (isAtFault(item, place) ? [String(place)] : []));

/** The one way to write a network; a single address stands without a length. Undefined if the value is none. */
export function canonicalNetwork(value: unknown): string | undefined {
  const [, address, digits] = NETWORK.exec(String(value)) ?? [];
  // Requests from a mapped address count as those from its IPv4 address, so such a network would never match.
  if (typeof value !== 'string' || !address || isIP(address) === 0 || carriedIpv4(address)) return undefined;
  const canonical = isIPv4(address) ? address : canonicalIpv6(address);
  const { parts, bits } = partsOf(canonical);
  const longest = parts.length * bits;
  const length = digits === undefined ? longest : Number(digits);
  const hasHost = parts.some((part, i) => (part & ((1 << hostBits(length, i, bits)) - 1)) !== 0);
  if (length > longest || hasHost) return undefined;
  return length === longest ? canonical : `${canonical}/${length}`;
}

/** Whether a caller's address, as a proxy may write it, is in one of these canonical networks. */
export function isWithin(address: string | undefined, networks: readonly string[]): boolean {
  const plain = plainAddress(address);
  if (plain === undefined) return false;
  const isOfIpv4 = isIPv4(plain);
  const { parts, bits } = partsOf(isOfIpv4 ? plain : canonicalIpv6(plain));
  return networks.some((network) => {
    if (network.includes(':') === isOfIpv4) return false;
    const [start, length = parts.length * bits] = network.split('/');
    return partsOf(start).parts.every((part, i) => {
      const host = hostBits(Number(length), i, bits);
      return part >> host === parts[i] >> host;
    });
  });
}

/**
 * A canonical address as numbers of so many bits. Compared like this, because `net.BlockList` takes IPv4 addresses for
 * some of `::/0`, and would be made for each request.
 */
const partsOf = (canonical: string): { parts: number[]; bits: number } =>
  canonical.includes(':')
    ? { parts: groupsOf(canonical).map((group) => parseInt(group, 16)), bits: 16 }
    : { parts: canonical.split('.').map(Number), bits: 8 };

/** How many bits of the part at this place are beyond the first `length` bits of an address. */
const hostBits = (length: number, place: number, bits: number): number =>
  bits - Math.min(bits, Math.max(0, length - place * bits));
