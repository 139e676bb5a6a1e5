import type { WebSocket } from 'ws';
import type { Gate, Services } from '../../api/context.ts';
import { isAllowedOrigin } from '../../api/credentials/allowed-domains.ts';
import { keyDisabled, tokenRefused, type UserClaims } from '../../api/credentials/user-tokens.ts';
import { checkUserToken, findKeyOfToken } from '../../api/middleware/authenticate.ts';
import type { OwnQuotas } from '../../api/quotas/limits.ts';
import { toAppError } from '../../api/responses/failures.ts';
import { loadAccess } from '../../features/access/load-access.ts';
import { loadPeople } from '../../features/users/known-people.ts';
import { unixSeconds } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { STATUSES } from '../../platform/errors.ts';
import type { LiveDocumentName } from '../../platform/live-documents.ts';
import type { Session } from '../live-connection.ts';
import { closeEventFor, closeEventOfFailure, Refusal } from '../refusal.ts';
import type { DocumentChannel } from '../sockets/document-channel.ts';

export interface AuthenticationDependencies
  extends Pick<Services, 'db' | 'events' | 'secrets' | 'clock' | 'log' | 'quotas'>,
    Pick<Gate, 'failedCredentials'> {}

/**
 * Admits a user to a document: editors write, viewers read, others are refused. The refusal is the same
 * for a document that does not exist and one that the user may not see.
 *
 * @param accessChanges how many changes to access this process has seen
 */
export async function authenticateConnection(
  deps: AuthenticationDependencies,
  { name, client }: Pick<DocumentChannel, 'name' | 'client'>,
  token: string,
  accessChanges: number,
): Promise<Session> {
  const { origin, ipAddress } = client;
  const claims = await verifyToken(deps, name, { token, ipAddress });
  const { userId, agent } = claims;
  // Each user's statements wait in a queue of their own, so that a user who opens many documents delays nobody else.
  const db = deps.db.for({ name: JSON.stringify(['socket', name.tenantId, userId]) });
  const keyQuotas = await requireKey(db, claims, origin);
  const [access, people, isStorageUsedUp = false] = await Promise.all([
    requireAccess({ ...deps, db }, name, userId),
    loadPeople(db, name.tenantId, [userId]),
    deps.quotas.of(name.tenantId, keyQuotas)?.isStorageUsedUp(),
  ]);
  return {
    userId,
    person: people.get(userId) ?? { userId },
    agent,
    origin,
    tokenEra: claims.era,
    tokenExpiresAt: claims.expiresAt,
    accessExpiresAt: access.grant?.expiresAt ?? undefined,
    isEditor: access.accessRole === 'editor',
    isStorageUsedUp,
    hasGrant: access.grant !== undefined,
    accessChanges,
  };
}

/** Verifies a user token for a document. @throws AppError when it is not valid, or belongs to another key */
export async function verifyToken(
  deps: AuthenticationDependencies,
  name: LiveDocumentName,
  { token, ipAddress }: { token: string; ipAddress: string },
): Promise<UserClaims> {
  const claims = await checkUserToken(deps, token, ipAddress);
  // The tenant in the name was read from the token before the token was verified (editor-socket.ts).
  if (claims.tenantId !== name.tenantId) throw tokenRefused('TOKEN_INVALID');
  return claims;
}

/** Returns the quotas of the API key. @throws when the key is disabled, or does not allow the origin */
export async function requireKey(
  db: Database,
  claims: UserClaims,
  origin: string | undefined,
): Promise<OwnQuotas> {
  const key = await findKeyOfToken(db, claims);
  if (key.disabled) throw keyDisabled();
  if (!isAllowedOrigin(origin, key.allowedDomains)) throw deniedRefusal();
  return key.quotas;
}

async function requireAccess(
  { db, clock }: AuthenticationDependencies,
  { tenantId, organizationId, documentId }: LiveDocumentName,
  userId: string,
) {
  const facts = await loadAccess(db, {
    tenantId,
    organizationId,
    userIds: [userId],
    folderIds: [],
    documentIds: [documentId],
  });
  const access = facts.accessToDocument(userId, documentId, unixSeconds(clock));
  if (!access?.allowed) throw deniedRefusal();
  return access;
}

const deniedRefusal = () => new Refusal(closeEventFor('PERMISSION_DENIED'));

/**
 * Logs the error that led to a refusal, and converts it to the refusal that the client receives. Clients take
 * a refusal as final, so this also closes the socket where a retry may help.
 */
export function toRefusal(
  { log }: Pick<AuthenticationDependencies, 'log'>,
  error: unknown,
  socket: Pick<WebSocket, 'close'>,
): Refusal {
  if (error instanceof Refusal) return error;
  const failure = toAppError(error);
  const { retryable, logLevel } = STATUSES[failure.status];
  log[logLevel]({ err: error }, 'A connection to a live document was refused.');
  const event = closeEventOfFailure(failure);
  if (retryable || failure.status === 'INTERNAL') socket.close(event.code, event.reason);
  return new Refusal(event);
}
