import ipaddr from 'ipaddr.js';

/** The range of IPv6 that is assigned for global use. Other addresses are special or not in use. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/**
 * Addresses at which clouds give credentials to internal clients: AWS, Google and Azure, ECS tasks,
 * AWS over IPv6, Alibaba, Oracle, and Azure's host. Some of them are in public ranges.
 */
const METADATA_ADDRESSES = new Set(
  [
    '169.254.169.254',
    '169.254.170.2',
    'fd00:ec2::254',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
  ].map((address) => ipaddr.parse(address).toNormalizedString()),
);

const METADATA_NAMES = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** Whether a host name is that of a cloud's metadata service. A resolver may map it to any address. */
export const isMetadataName = (host: string): boolean =>
  METADATA_NAMES.has(host.toLowerCase().replace(/\.+$/, ''));

/** Decides whether requests may go to an IP address. */
export class AddressFilter {
  readonly #allowed: Array<[network: ipaddr.IPv4 | ipaddr.IPv6, prefixLength: number]>;

  /** @param allowedNetworks CIDRs that may be reached although they are not public */
  constructor(allowedNetworks: string[]) {
    this.#allowed = allowedNetworks.map((network) => ipaddr.parseCIDR(network));
  }

  /** @param address in any textual form, including IPv4 mapped into IPv6 */
  allows(address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    const ip = ipaddr.process(address);
    // These are refused even within an allowed network: an operator never means to allow them.
    if (METADATA_ADDRESSES.has(ip.toNormalizedString())) return false;
    if (this.#allowed.some((network) => isWithin(ip, network))) return true;
    return ip.range() === 'unicast' && (ip.kind() === 'ipv4' || isWithin(ip, GLOBAL_IPV6));
  }
}

function isWithin(
  ip: ipaddr.IPv4 | ipaddr.IPv6,
  [network, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number],
): boolean {
  return ip.kind() === network.kind() && ip.match(network, bits);
}
