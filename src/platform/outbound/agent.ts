import { lookup } from 'node:dns';
import { lookup as resolve } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { waitFor } from '../wait-for.ts';
import { AddressFilter, isMetadataName } from './addresses.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** How long `outboundProblem` waits for a name server. */
const RESOLVE_TIMEOUT_MS = 1_000;

/**
 * Ports of other protocols above 1023, as browsers refuse them (fetch.spec.whatwg.org, "bad
 * ports"): a request there could be taken for a command.
 */
const REFUSED_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 10080,
]);

/** A request was not sent. The message may be shown to the caller who gave the address. */
export class ForbiddenAddressError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ForbiddenAddressError';
  }
}

/**
 * The agent for requests to URLs from customers. It refuses private, loopback and other special
 * addresses when it connects, whether they come from the URL or from a name server, so that nothing
 * can change between check and use. It uses no proxy, and follows no redirects by itself.
 */
export function createOutboundAgent(allowedNetworks: string[], options?: Agent.Options): Agent {
  const filter = new AddressFilter(allowedNetworks);
  const connectTo = buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    lookup: lookupAllowed(filter),
  });
  const connect: buildConnector.connector = (target, callback) => {
    const problem = problemWith(filter, target);
    if (problem) callback(new ForbiddenAddressError(problem), null);
    else connectTo(target, callback);
  };
  return new Agent({ ...options, connect });
}

/**
 * Returns why requests to this URL would be refused now, so that its owner learns of it early. A
 * name that cannot be resolved is no problem yet. Requests check again when they connect.
 */
export async function outboundProblem(
  allowedNetworks: string[],
  url: string,
): Promise<string | undefined> {
  const filter = new AddressFilter(allowedNetworks);
  const { protocol, hostname, port } = new URL(url);
  const problem = problemWith(filter, { protocol, hostname, port });
  if (problem || isIP(hostname.replace(BRACKETS, '')) !== 0) return problem;
  const resolved = resolve(hostname, { all: true }).catch(() => []);
  const addresses = await waitFor(resolved, RESOLVE_TIMEOUT_MS, []);
  return addresses.every(({ address }) => filter.allows(address)) ? undefined : FORBIDDEN;
}

type Target = Pick<buildConnector.Options, 'protocol' | 'hostname' | 'port'>;

const BRACKETS = /^\[|\]$/g;

function problemWith(filter: AddressFilter, target: Target): string | undefined {
  const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
  const isUsual = port === 80 || port === 443 || port > 1023;
  if (!isUsual || REFUSED_PORTS.has(port)) return `Port ${port} may not be reached.`;
  const host = target.hostname.replace(BRACKETS, '');
  if (isMetadataName(host)) return FORBIDDEN;
  if (isIP(host) !== 0 && !filter.allows(host)) return FORBIDDEN;
  return undefined;
}

const FORBIDDEN =
  'The address is private or special, and may not be reached. The operator of this server can allow its network with OUTBOUND_ALLOWED_NETWORKS.';

/** Refuses a host name with any forbidden address, since we cannot choose which one is used. */
const lookupAllowed =
  (filter: AddressFilter): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      if (addresses.length === 0 || addresses.some(({ address }) => !filter.allows(address))) {
        return callback(new ForbiddenAddressError(FORBIDDEN), '');
      }
      const [first] = addresses;
      if (options.all || !first) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
