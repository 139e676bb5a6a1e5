import { type Queryable, sql } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import { isAllowedOrigin } from '../credentials/allowed-domains.ts';
import { currentTokenEra, keyDisabled, tokenRefused } from '../credentials/user-tokens.ts';

/** The credentials that opened a connection, which is closed once they are no longer valid. */
export interface StreamCaller {
  tenantId: string;
  /** The user of a user token; undefined for an auth token. */
  userId: string | undefined;
  /** The era of the user token, as `<generation>.<epoch>` (`currentTokenEra`). */
  tokenEra: string | undefined;
  /** The expiry of the user token, in Unix seconds. */
  tokenEndsAt: number | undefined;
  /** The hash of the auth token; undefined for a user token. */
  tokenHash: Buffer | undefined;
  origin: string | undefined;
}

/** The state of an API key that may end connections of the key or of its users. */
export interface KeyState {
  disabled: boolean;
  tokenGeneration: number;
  allowedDomains: string[];
}

interface EndedCaller<Caller> {
  caller: Caller;
  failure: AppError;
}

/**
 * Returns the callers whose credentials are no longer valid, with the failure: the token was
 * revoked, the key was disabled, or its domains have changed. One statement serves all callers of
 * all tenants.
 */
export async function findEndedCallers<Caller extends StreamCaller>(
  db: Queryable,
  callers: Caller[],
): Promise<Array<EndedCaller<Caller>>> {
  if (callers.length === 0) return [];
  const rows = await db.query<KeyState & { ordinal: number; isValid: boolean }>(sql`
    SELECT callers.ordinal::int, k.disabled, k.token_generation AS "tokenGeneration",
      k.allowed_domains AS "allowedDomains",
      EXISTS (SELECT 1 FROM users /* all tenants */ u
              WHERE u.tenant_id = callers.tenant_id AND u.user_id = callers.user_id
                AND callers.era = ${currentTokenEra})
      OR EXISTS (SELECT 1 FROM auth_tokens t
                 WHERE t.tenant_id = callers.tenant_id AND t.hash = callers.hash) AS "isValid"
    FROM unnest(${callers.map(({ tenantId }) => tenantId)}::text[],
                ${callers.map(({ userId }) => userId ?? null)}::text[],
                ${callers.map(({ tokenEra }) => tokenEra ?? null)}::text[],
                ${callers.map(({ tokenHash }) => tokenHash ?? null)}::bytea[])
      WITH ORDINALITY AS callers(tenant_id, user_id, era, hash, ordinal)
    JOIN api_keys k ON k.id = callers.tenant_id`);
  const states = new Map(rows.map((row) => [row.ordinal - 1, row]));
  return callers.flatMap((caller, index) => {
    const state = states.get(index);
    const failure = state?.isValid ? keyFailure(state, caller) : endedFailure(caller);
    return failure ? [{ caller, failure }] : [];
  });
}

/** Returns why a key in this state refuses a caller; undefined if it admits the caller. */
export function keyFailure(
  { disabled, tokenGeneration, allowedDomains }: KeyState,
  { tokenEra, origin }: Pick<StreamCaller, 'tokenEra' | 'origin'>,
): AppError | undefined {
  if (tokenEra !== undefined && !tokenEra.startsWith(`${tokenGeneration}.`)) {
    return tokenRefused('TOKEN_REVOKED');
  }
  if (disabled) return keyDisabled();
  return isAllowedOrigin(origin, allowedDomains) ? undefined : noLongerValid();
}

const endedFailure = ({ userId }: StreamCaller): AppError =>
  userId === undefined ? noLongerValid() : tokenRefused('TOKEN_REVOKED');

const noLongerValid = () =>
  new AppError('PERMISSION_DENIED', 'The credentials of this connection are no longer valid.');
