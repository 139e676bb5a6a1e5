import type { RequestContext, Services } from '../../api/context.ts';
import { networkOf } from '../../api/credentials/client-address.ts';
import { createRateLimiter } from '../../platform/limits/rate-limiter.ts';

type Address = Pick<RequestContext, 'address'>;

/** Each sign-in and sign-out may store a row for hours, so one network may make only a few in a minute. */
const SESSIONS_PER_MINUTE = 60;

/**
 * Limits the requests from a network while it is not known who sends them. Above a limit, the returned functions
 * throw RESOURCE_EXHAUSTED.
 */
export function addressRate({ config, gate: { rateLimiter } }: Services) {
  // A server without a limit for API keys has none here, either.
  const points = config.rateLimitPerSecond === 0 ? 0 : SESSIONS_PER_MINUTE;
  const refusal = 'Too many sign-ins from this address. Wait a minute.';
  const options = { seconds: 60, keyPrefix: 'sessions', points, refusal };
  // Without Redis, each process counts by itself.
  const sessions = createRateLimiter(options, undefined);
  return {
    /** Limits requests that read a session. They may come as often as the calls of one API key. */
    consume: (call: Address) => rateLimiter.consume(limiterKeyOf(call)),
    /** Limits requests that begin or end a session. */
    consumeSession: (call: Address) => sessions.consume(limiterKeyOf(call)),
  };
}
export type AddressRate = ReturnType<typeof addressRate>;

/** The line break keeps these names apart from API keys, whose calls the same limiter counts. */
const limiterKeyOf = (call: Address): string => `address\n${networkOf(call.address())}`;
