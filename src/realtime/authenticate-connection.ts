import type { onAuthenticatePayload } from '@hocuspocus/server';
import { isAllowedOrigin } from '../api/allowed-domains.ts';
import { checkUserToken, findKey } from '../api/authenticate.ts';
import type { FailedCredentials } from '../api/failed-credentials.ts';
import { toAppError } from '../api/failures.ts';
import { keyDisabled, tokenRefused } from '../api/user-tokens.ts';
import { loadAccess } from '../features/permissions/load-access.ts';
import { type Clock, unixSeconds } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import { STATUSES } from '../platform/errors.ts';
import type { EventLog } from '../platform/events/event-log.ts';
import type { LiveDocumentName } from '../platform/live-documents.ts';
import type { Logger } from '../platform/logging.ts';
import type { Secrets } from '../platform/secrets.ts';
import { nameOf } from './document-names.ts';
import type { LiveContext, Session } from './live-context.ts';
import { closing, closingFor, Refusal } from './refusal.ts';

export interface AuthenticationParts {
  db: Database;
  events: EventLog;
  secrets: Secrets;
  clock: Clock;
  log: Logger;
  failedCredentials: FailedCredentials;
}

/**
 * Lets a user into a document: editors write, viewers read, others are refused, in the same way
 * whether there is no such document or it is not theirs to see.
 */
export async function authenticateConnection(
  parts: AuthenticationParts,
  {
    token,
    documentName,
    requestHeaders,
    connectionConfig,
    context,
  }: onAuthenticatePayload<LiveContext>,
  asOf: number,
): Promise<LiveContext> {
  try {
    const name = nameOf(documentName);
    const origin = requestHeaders.get('origin') ?? undefined;
    const claims = await checkToken(parts, name, { token, origin, address: context.address });
    const access = await accessOf(parts, name, claims.userId);
    connectionConfig.readOnly = access.accessRole !== 'editor';
    const session: Session = {
      userId: claims.userId,
      origin,
      era: claims.era,
      tokenExpiresAt: claims.expiresAt,
      accessExpiresAt: access.grant?.expiresAt ?? undefined,
      asOf,
    };
    return { session };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw refuse(parts, error, context);
  }
}

async function checkToken(
  parts: AuthenticationParts,
  name: LiveDocumentName,
  { token, origin, address = '' }: { token: string; origin?: string; address?: string },
) {
  const claims = await checkUserToken(parts, token, address);
  // The tenant in the name was read from the token before it was verified (tenant-socket.ts).
  if (claims.tenantId !== name.tenantId) throw tokenRefused('TOKEN_INVALID');
  const key = await findKey(parts, claims);
  if (key.disabled) throw keyDisabled();
  if (!isAllowedOrigin(origin, key.allowedDomains)) throw denied();
  return claims;
}

async function accessOf(
  { db, clock }: AuthenticationParts,
  name: LiveDocumentName,
  userId: string,
) {
  const { tenantId, organizationId, documentId } = name;
  const facts = await loadAccess(db, {
    tenantId,
    organizationId,
    userIds: [userId],
    folderIds: [],
    documentIds: [documentId],
  });
  const access = facts.document(userId, documentId, unixSeconds(clock));
  if (!access?.allowed) throw denied();
  return access;
}

const denied = () => new Refusal(closing('PERMISSION_DENIED'));

/** Clients take a refusal as final, so where trying again may help, the socket is closed as well. */
export function refuse(
  { log }: Pick<AuthenticationParts, 'log'>,
  error: unknown,
  context?: LiveContext,
): Refusal {
  const failure = toAppError(error);
  const { retryable, logLevel } = STATUSES[failure.status];
  log[logLevel]({ err: error }, 'A connection to a live document was refused.');
  const end = closingFor(failure);
  if (retryable || failure.status === 'INTERNAL') context?.socket?.close(end.code, end.reason);
  return new Refusal(end);
}
