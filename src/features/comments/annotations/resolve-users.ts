import type { KeyContext } from '../../../api/context.ts';
import type { AgentIdentity } from '../../../api/fields.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import type { Access } from '../../access/access.ts';
import { addMissingUsers } from '../../access/add-missing-users.ts';
import { loadAccess } from '../../access/load-access.ts';
import { presentUser, type UserRow } from '../../access/users/present-user.ts';
import type { CommentContent, NamedUserObject } from '../comment-row.ts';

/** Where people are named. */
interface Place {
  organizationId: string;
  /** Whoever a user names is to have access to each of them. */
  documentIds: string[];
}

export const placeIn = (annotation: { organizationId: string; documentId: string }): Place => ({
  organizationId: annotation.organizationId,
  documentIds: [annotation.documentId],
});

/** Whom a call names, by what is known of them and what its caller may say of them. */
export interface ResolvedUsers {
  /**
   * From API keys what is known, with what they said on top. Users name people by their ids alone:
   * what is known of those who have a role there is filled in, and nothing of strangers.
   */
  complete(given: NamedUserObject): NamedUserObject;
  /** Whom a comment is addressed to: from API keys as they came. */
  addressee(given: NamedUserObject): NamedUserObject;
  /** Who came with the user token; else the author whom the caller names. */
  author(given: NamedUserObject | undefined, path: string): NamedUserObject;
  /** The agent that a new comment is from: of users the one that their token was made for. */
  agent(given: AgentIdentity | undefined): AgentIdentity | undefined;
  actor: NamedUserObject | undefined;
}

/**
 * Looks up everybody who is named, in one statement; in three more who of them has a role there,
 * where a user names others. Where the key wants that, whom API keys name are added to the
 * organization when missing; `others` are looked up and nothing more.
 */
export async function resolveUsers(
  ctx: KeyContext,
  tx: Transaction,
  place: Place,
  named: Array<NamedUserObject | undefined>,
  others: Array<string | undefined> = [],
): Promise<ResolvedUsers> {
  const given = named.filter((user) => user !== undefined);
  await addMissingUsers(ctx, tx, place.organizationId, given);
  const { userId: actorId } = ctx;
  const ids = [...given.map((user) => user.userId), actorId, ...others].filter(
    (userId) => userId !== undefined,
  );
  const rows = await tx.query<UserRow>(sql`
    SELECT user_id AS "userId", name, email, initial, metadata, NULL AS "accessRole"
    FROM users WHERE tenant_id = ${ctx.tenantId} AND user_id = ANY(${ids})`);
  const known = new Map(rows.map((row) => [row.userId, presentUser(row)]));
  if (actorId === undefined) return namedByKey(known);
  const around = await withRole(ctx, tx, place, ids);
  return namedByUser(ctx, actorId, new Map([...known].filter(([id]) => around.has(id))));
}

type Known = ReadonlyMap<string, NamedUserObject>;

function namedByKey(known: Known): ResolvedUsers {
  const complete = (user: NamedUserObject) => ({ ...known.get(user.userId), ...user });
  return {
    complete,
    addressee: (user) => user,
    author(user, path) {
      if (user) return complete(user);
      throw authorMissing(path);
    },
    agent: (given) => given,
    actor: undefined,
  };
}

function namedByUser({ agent }: KeyContext, actorId: string, known: Known): ResolvedUsers {
  const complete = ({ userId }: NamedUserObject) => ({ ...known.get(userId), userId });
  const actor = complete({ userId: actorId });
  return {
    complete,
    addressee: complete,
    author: () => actor,
    agent: (given) => agent && { ...runOf(agent, given), ...agent },
    actor,
  };
}

/** The run that an agent says it is in; it may have many with one token. */
const runOf = (agent: AgentIdentity, given: AgentIdentity | undefined) =>
  given?.agentId === agent.agentId && { executionId: given.executionId };

/**
 * The caller, and those of the users who have a role on the documents, on a folder above them, or on
 * the organization. That everybody may read what is public makes nobody less of a stranger.
 */
async function withRole(
  ctx: KeyContext,
  tx: Transaction,
  { organizationId, documentIds }: Place,
  ids: string[],
): Promise<Set<string>> {
  const { tenantId, userId: actorId } = ctx;
  const userIds = [...new Set(ids)].filter((userId) => userId !== actorId);
  const around = new Set(actorId === undefined ? [] : [actorId]);
  if (userIds.length === 0) return around;
  const asked = { tenantId, organizationId, userIds, folderIds: [], documentIds };
  const facts = await loadAccess(tx, asked);
  const now = unixSeconds(ctx.clock);
  const hasRole = (userId: string) =>
    documentIds.every((documentId) => hasGrant(facts.document(userId, documentId, now)));
  for (const userId of userIds.filter(hasRole)) around.add(userId);
  return around;
}

const hasGrant = (access: Access | undefined): boolean =>
  access?.allowed === true && access.grant !== undefined;

function authorMissing(path: string) {
  const message = 'must name the author';
  return invalidArgument(`${path}: ${message}.`, { details: { issues: [{ path, message }] } });
}

/** Everybody whom comments name. With a user token nobody but that user is an author. */
export const usersIn = (
  ctx: KeyContext,
  comments: Array<{ from?: NamedUserObject | undefined } & CommentContent>,
): NamedUserObject[] =>
  comments.flatMap(({ from, taggedUserContacts, to }) => [
    ...(ctx.userId === undefined ? [from ?? []].flat() : (to ?? [])),
    ...(taggedUserContacts ?? []),
  ]);

/** Who acts: whoever came with a user token, else the user whom the API key's caller names. */
export async function actingUser(
  ctx: KeyContext,
  tx: Transaction,
  annotation: { organizationId: string; documentId: string },
  { userId }: { userId?: string | undefined },
): Promise<NamedUserObject> {
  const named = ctx.userId ?? userId;
  if (named === undefined) throw userMissing();
  const users = await resolveUsers(ctx, tx, placeIn(annotation), [{ userId: named }]);
  return users.complete({ userId: named });
}

function userMissing() {
  const issue = { path: 'userId', message: 'must name the user' };
  return invalidArgument('userId: must name the user.', { details: { issues: [issue] } });
}
