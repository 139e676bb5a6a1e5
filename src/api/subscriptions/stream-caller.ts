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

/** A subscription or a live connection. It ends when its credentials expire or are revoked. */
export interface Opened {
  readonly caller: StreamCaller;
  end(failure: AppError): void;
}

/** Ends subscriptions and connections whose tokens have expired. @param now Unix seconds. */
export function endExpired(opened: Iterable<Opened>, now: number): void {
  for (const each of opened) {
    const { tokenEndsAt } = each.caller;
    if (tokenEndsAt !== undefined && now >= tokenEndsAt) each.end(tokenRefused('TOKEN_EXPIRED'));
  }
}

/**
 * Ends subscriptions and connections whose credentials are no longer valid. Callers that
 * differ at most in the expiry of their token, such as those of a page, are looked up together.
 */
export async function endInvalid(db: Queryable, opened: Iterable<Opened>): Promise<void> {
  const callers = Map.groupBy(opened, ({ caller }) =>
    JSON.stringify({
      ...caller,
      tokenEndsAt: undefined,
      tokenHash: caller.tokenHash?.toString('hex'),
    }),
  );
  const groups = [...callers.values()].flatMap((group) =>
    group[0] ? { ...group[0].caller, group } : [],
  );
  for (const { caller, failure } of await findEndedCallers(db, groups))
    for (const each of caller.group) each.end(failure);
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
  const rows = await db.query<CallerState & { ordinal: number }>(sql`
    SELECT callers.ordinal::int, k.disabled, k.allowed_domains AS "allowedDomains",
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
    const failure = failureOf(caller, states.get(index));
    return failure ? [{ caller, failure }] : [];
  });
}

interface CallerState {
  /** Whether the token is valid. */
  isValid: boolean;
  disabled: boolean;
  allowedDomains: string[];
}

/** Returns why a caller is refused; undefined if it is admitted. */
function failureOf(
  { userId, origin }: StreamCaller,
  state: CallerState | undefined,
): AppError | undefined {
  if (!state?.isValid)
    return userId === undefined ? noLongerValid() : tokenRefused('TOKEN_REVOKED');
  if (state.disabled) return keyDisabled();
  return isAllowedOrigin(origin, state.allowedDomains) ? undefined : noLongerValid();
}

const noLongerValid = () =>
  new AppError('PERMISSION_DENIED', 'The credentials of this connection are no longer valid.');
