import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import ipaddr from 'ipaddr.js';

/**
 * Which proxies may say whose request they pass on: none, all, so many in front of this process, or
 * those in these networks.
 */
export type TrustProxy = boolean | number | string[];

export type AddressOf = (request: IncomingMessage) => string;

/** Reads the address that a request comes from, out of `X-Forwarded-For` as far as it is trusted. */
export function addressReader(trust: TrustProxy): AddressOf {
  const isTrusted = trustOf(trust);
  return (request) => {
    const own = request.socket.remoteAddress ?? '';
    const named = isTrusted ? proxyAddress(request, isTrusted) : own;
    return normalized(named) ?? normalized(own) ?? 'unknown';
  };
}

function trustOf(trust: TrustProxy): ((address: string, hop: number) => boolean) | undefined {
  if (typeof trust === 'boolean') return trust ? () => true : undefined;
  if (typeof trust === 'number') return (_address, hop) => hop < trust;
  return proxyAddress.compile(trust);
}

/** IPv4 that came over IPv6 is IPv4. Undefined for what is no address. */
const normalized = (address: string): string | undefined =>
  ipaddr.isValid(address) ? ipaddr.process(address).toString() : undefined;

/** What one customer of a provider has: an IPv4 address, or 64 bits of an IPv6 one. */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString()}/64`;
}

export const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.parse(address).range() === 'loopback';
