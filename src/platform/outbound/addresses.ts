import ipaddr from 'ipaddr.js';

/**
 * Ranges that the registry of special addresses does not name, but that lead to special ones:
 * IPv4 inside IPv6 in the forms of old (::127.0.0.1) and of local translators.
 */
const SPECIAL = ['::/96', '64:ff9b:1::/48', 'fec0::/10'].map((range) => ipaddr.parseCIDR(range));

/** Says of IP addresses whether requests may go there. */
export class AddressFilter {
  readonly #allowed: Array<[ipaddr.IPv4 | ipaddr.IPv6, number]>;

  /** `allowedNetworks`: CIDRs that may be reached although they are not public. */
  constructor(allowedNetworks: string[]) {
    this.#allowed = allowedNetworks.map((network) => ipaddr.parseCIDR(network));
  }

  /** `address`: in any textual form, IPv4 mapped into IPv6 included. */
  allows(address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    const ip = ipaddr.process(address);
    if (this.#allowed.some((network) => isWithin(ip, network))) return true;
    return ip.range() === 'unicast' && !SPECIAL.some((network) => isWithin(ip, network));
  }
}

function isWithin(
  ip: ipaddr.IPv4 | ipaddr.IPv6,
  [network, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number],
): boolean {
  return ip.kind() === network.kind() && ip.match(network, bits);
}
