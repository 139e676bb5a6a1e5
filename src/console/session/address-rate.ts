import type { RequestContext, Services } from '../../api/context.ts';
import { networkOf } from '../../api/credentials/client-address.ts';
import { createRateLimiter } from '../../platform/limits/rate-limiter.ts';

type Address = Pick<RequestContext, 'address'>;

/** Sign-ins and sign-outs of one address in a minute, since each may keep a row for hours. */
const SESSION_RATE = {
  seconds: 60,
  keyPrefix: 'sessions',
  refusal: 'Too many sign-ins from this address. Wait a minute.',
};
const SESSIONS_PER_MINUTE = 60;

/**
 * Limits what an address may ask of the console before it is known who asks.
 *
 * @throws RESOURCE_EXHAUSTED
 */
export function addressRate({ config, gate: { rateLimiter } }: Services) {
  // Whoever turned the limit of keys off wants none.
  const points = config.rateLimitPerSecond === 0 ? 0 : SESSIONS_PER_MINUTE;
  const sessions = createRateLimiter({ ...SESSION_RATE, points }, undefined);
  return {
    /** For whatever reads a session: as often as one key may call. */
    consume: (call: Address) => rateLimiter.consume(nameOf(call)),
    /** For what begins or ends a session. */
    consumeSession: (call: Address) => sessions.consume(nameOf(call)),
  };
}
export type AddressRate = ReturnType<typeof addressRate>;

/** API keys and names of people have no line breaks. */
const nameOf = (call: Address): string => `address\n${networkOf(call.address())}`;
