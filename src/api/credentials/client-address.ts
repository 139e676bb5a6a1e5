import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import ipaddr from 'ipaddr.js';

/**
 * The proxies whose `X-Forwarded-For` is trusted: none, all, a number of proxies in front of this
 * process, or the proxies in these networks.
 */
export type TrustProxy = boolean | number | string[];

export type AddressOf = (request: IncomingMessage) => string;

/**
 * Returns a function that reads the client's address, from `X-Forwarded-For` as far as it is
 * trusted.
 */
export function addressReader(trust: TrustProxy): AddressOf {
  const isTrusted = trustOf(trust);
  return (request) => {
    const direct = request.socket.remoteAddress ?? '';
    const forwarded = isTrusted ? proxyAddress(request, isTrusted) : direct;
    return normalize(forwarded) ?? normalize(direct) ?? 'unknown';
  };
}

function trustOf(trust: TrustProxy): ((address: string, hop: number) => boolean) | undefined {
  if (typeof trust === 'boolean') return trust ? () => true : undefined;
  if (typeof trust === 'number') return (_address, hop) => hop < trust;
  return proxyAddress.compile(trust);
}

/**
 * Normalizes an address; IPv4 mapped to IPv6 becomes IPv4. Returns undefined for an invalid
 * address.
 */
const normalize = (address: string): string | undefined =>
  ipaddr.isValid(address) ? ipaddr.process(address).toString() : undefined;

/**
 * Returns the network that a provider usually assigns to one customer: an IPv4 address, or an IPv6
 * /64.
 */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString()}/64`;
}

/**
 * Whether a Host header names an address or `localhost`. Any other name may belong to a foreign site. If
 * that site resolves the name to this machine, browsers let its pages read this server.
 */
export function isOwnHost(host: string): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return hostname === 'localhost' || ipaddr.isValid(hostname.replace(/^\[|\]$/g, ''));
}

/** Whether a connection comes from this machine. A server that listens on `::` sees IPv4 mapped to IPv6. */
export const isLoopback = ({
  remoteAddress = '',
}: {
  remoteAddress?: string | undefined;
}): boolean => /^(::1$|(::ffff:)?127\.)/.test(remoteAddress);
