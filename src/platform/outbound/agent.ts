import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { waitFor } from '../wait-for.ts';
import { AddressFilter, isMetadataName } from './addresses.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** How long `outboundProblem` waits for a name server. */
const RESOLVE_TIMEOUT_MS = 1_000;
/** The second query to a silent name server takes longer. Both end before `CONNECT_TIMEOUT_MS`. */
const DNS_OPTIONS = { timeout: 1_500, tries: 2 };

/**
 * Ports of other protocols above 1023, which browsers also refuse (fetch.spec.whatwg.org, "bad
 * ports"): a server there could take a request for a command.
 */
const REFUSED_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 10080,
]);

/** Thrown instead of sending a request. The message may be shown to the caller who gave the address. */
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
 * Returns why requests to this URL would be refused now, so that whoever set it learns of it early. A
 * name that cannot be resolved is not a problem yet: each request checks again when it connects.
 */
export async function outboundProblem(
  allowedNetworks: string[],
  url: string,
): Promise<string | undefined> {
  const filter = new AddressFilter(allowedNetworks);
  const { protocol, hostname, port } = new URL(url);
  const problem = problemWith(filter, { protocol, hostname, port });
  if (problem || isIP(hostname.replace(BRACKETS, '')) !== 0) return problem;
  const resolved = addressesOf(hostname).catch(() => []);
  const addresses = await waitFor(resolved, RESOLVE_TIMEOUT_MS, []);
  return addresses.every(({ address }) => filter.allows(address)) ? undefined : FORBIDDEN_MESSAGE;
}

type Target = Pick<buildConnector.Options, 'protocol' | 'hostname' | 'port'>;

const BRACKETS = /^\[|\]$/g;

function problemWith(filter: AddressFilter, target: Target): string | undefined {
  const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
  const isUsual = port === 80 || port === 443 || port > 1023;
  if (!isUsual || REFUSED_PORTS.has(port)) return `Requests to port ${port} are not allowed.`;
  const host = target.hostname.replace(BRACKETS, '');
  if (isMetadataName(host)) return FORBIDDEN_MESSAGE;
  if (isIP(host) !== 0 && !filter.allows(host)) return FORBIDDEN_MESSAGE;
  return undefined;
}

const FORBIDDEN_MESSAGE =
  'Requests to this address are not allowed, because it is private or special. The operator of this server can allow its network with OUTBOUND_ALLOWED_NETWORKS.';

/** Refuses a host name if any of its addresses is forbidden, since we cannot choose which one is used. */
const lookupAllowed =
  (filter: AddressFilter): LookupFunction =>
  (hostname, { all }, callback) => {
    const useAddresses = (addresses: LookupAddress[]) => {
      const [first] = addresses;
      if (!first || addresses.some(({ address }) => !filter.allows(address))) {
        callback(new ForbiddenAddressError(FORBIDDEN_MESSAGE), '');
      } else if (all) callback(null, addresses);
      else callback(null, first.address, first.family);
    };
    addressesOf(hostname).then(useAddresses, (error) => callback(error, ''));
  };

/**
 * Resolves a name by asking a name server directly. `lookup` would occupy one of the process's few
 * threads until the name server replies, so that two silent name servers would hold up all other
 * names. `lookup` is used only for names that the name server does not know, because they may be in
 * the hosts file or in a search domain.
 */
async function addressesOf(hostname: string): Promise<LookupAddress[]> {
  // A new resolver reads the machine's current name servers.
  const resolver = new dns.Resolver(DNS_OPTIONS);
  const [v4, v6] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  const found = [
    ...addressesIn(v4).map((address) => ({ address, family: 4 })),
    ...addressesIn(v6).map((address) => ({ address, family: 6 })),
  ];
  if (found.length > 0) return found;
  const failures = [v4, v6].flatMap((each) => (each.status === 'rejected' ? each.reason : []));
  const otherFailure = failures.find(({ code }) => !UNKNOWN_NAME_CODES.has(code));
  if (otherFailure) throw otherFailure;
  return lookUpOneByOne(hostname);
}

const addressesIn = (settled: PromiseSettledResult<string[]>): string[] =>
  settled.status === 'fulfilled' ? settled.value : [];

/** The error codes for a name that the name server does not know, and for a machine without a name server. */
const UNKNOWN_NAME_CODES = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

let lastLookup: Promise<unknown> = Promise.resolve();

/** Looks up one name at a time, so that all lookups together occupy only one thread. */
function lookUpOneByOne(hostname: string): Promise<LookupAddress[]> {
  const lookup = lastLookup.then(() => dns.lookup(hostname, { all: true }));
  lastLookup = lookup.catch(() => undefined);
  return lookup;
}
