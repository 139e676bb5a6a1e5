import type { KeyContext } from '../../../api/context.ts';
import type { AgentIdentity } from '../../../api/fields.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { invalidField } from '../../../platform/errors.ts';
import type { Access } from '../../access/access.ts';
import { addsMembers, ensureMembershipOfNamed } from '../../access/ensure-membership.ts';
import { loadAccess } from '../../access/load-access.ts';
import type { DocumentRef } from '../../access/places.ts';
import { loadUsers } from '../../users/known-people.ts';
import type { CommentContent, NamedUserObject } from '../annotation-row.ts';

/** The documents of the annotations that name users. */
interface NamingScope {
  organizationId: string;
  /** For a user token, stored fields are added only for users with a role on all these documents. */
  documentIds: string[];
}

/** The scope of users who are named in one annotation. */
export const namingScopeOf = (annotation: DocumentRef): NamingScope => ({
  organizationId: annotation.organizationId,
  documentIds: [annotation.documentId],
});

/** Adds stored fields, as far as the caller may see them, to the users whom a call names. */
export interface ResolvedUsers {
  /**
   * API keys: the given fields, and the stored ones that are not given. User tokens: the id, and the
   * stored fields if the user has a role on the documents; given fields are ignored.
   */
  complete(user: NamedUserObject): NamedUserObject;
  /** Returns an addressee of a comment. API keys: exactly as given. User tokens: as from `complete`. */
  addressee(user: NamedUserObject): NamedUserObject;
  /** Returns the user of the token; for API keys, the author that the caller names. */
  author(user: NamedUserObject | undefined, path: string): NamedUserObject;
  /** Returns the agent of a new comment. API keys: as given. User tokens: the token's agent, if it has one. */
  agent(named: AgentIdentity | undefined): AgentIdentity | undefined;
  /** The user of the token; undefined for API keys. */
  tokenUser: NamedUserObject | undefined;
}

/**
 * Resolves the users whom a call names. One statement reads all of them. If a user token names other
 * users, three further statements read which of them have a role on the documents.
 *
 * @param named with `requireAutoOrgUser`, an API key adds these users to the organization
 * @param readIds further users, who are read but never added
 */
export async function resolveUsers(
  ctx: KeyContext,
  tx: Transaction,
  scope: NamingScope,
  named: Array<NamedUserObject | undefined>,
  readIds: Array<string | undefined> = [],
): Promise<ResolvedUsers> {
  const users = named.filter((user) => user !== undefined);
  await ensureMembershipOfNamed(ctx, tx, scope.organizationId, users);
  const { userId: tokenUserId } = ctx;
  const ids = [...users.map((user) => user.userId), tokenUserId, ...readIds].filter(
    (userId) => userId !== undefined,
  );
  const known = await loadUsers(tx, ctx.tenantId, ids);
  if (tokenUserId === undefined) return resolvedForKey(known);
  const withRole = await findUsersWithRole(ctx, tx, scope, ids);
  return resolvedForUser(ctx, tokenUserId, new Map([...known].filter(([id]) => withRole.has(id))));
}

/** Resolves the users whom the call stores. All of them must have been passed to `readUsersEarly`. */
export type Resolve = (
  named: Array<NamedUserObject | undefined>,
  readIds?: Array<string | undefined>,
) => Promise<ResolvedUsers>;

/**
 * Reads users before it is known which of them the call stores, so that the statement is sent together
 * with others. If the call adds users to the organization, they are read only by the returned function, so
 * that only those whom the call stores are added.
 */
export async function readUsersEarly(
  ctx: KeyContext,
  tx: Transaction,
  scope: NamingScope,
  named: Array<NamedUserObject | undefined>,
): Promise<Resolve> {
  if (addsMembers(ctx)) return (stored, readIds) => resolveUsers(ctx, tx, scope, stored, readIds);
  const users = await resolveUsers(ctx, tx, scope, named);
  return async () => users;
}

type Known = ReadonlyMap<string, NamedUserObject>;

function resolvedForKey(known: Known): ResolvedUsers {
  const complete = (user: NamedUserObject) => ({ ...known.get(user.userId), ...user });
  return {
    complete,
    addressee: (user) => user,
    author(user, path) {
      if (user) return complete(user);
      throw invalidField(path, 'must name the author');
    },
    agent: (named) => named,
    tokenUser: undefined,
  };
}

function resolvedForUser({ agent }: KeyContext, tokenUserId: string, known: Known): ResolvedUsers {
  const complete = ({ userId }: NamedUserObject) => ({ ...known.get(userId), userId });
  const tokenUser = complete({ userId: tokenUserId });
  return {
    complete,
    addressee: complete,
    author: () => tokenUser,
    agent: (named) => agent && { ...runOf(agent, named), ...agent },
    tokenUser,
  };
}

/** Returns the run (`executionId`) that the caller names, if it is a run of this agent. */
const runOf = (agent: AgentIdentity, named: AgentIdentity | undefined) =>
  named?.agentId === agent.agentId ? { executionId: named.executionId } : {};

/**
 * Returns the caller, and the users with a grant on the documents, on a folder above them, or on
 * the organization. Public access to a document is not a role.
 */
async function findUsersWithRole(
  ctx: KeyContext,
  tx: Transaction,
  { organizationId, documentIds }: NamingScope,
  ids: string[],
): Promise<Set<string>> {
  const { tenantId, userId: tokenUserId } = ctx;
  const distinctIds = [...new Set(ids)];
  const userIds = distinctIds.filter((userId) => userId !== tokenUserId);
  if (userIds.length === 0) return new Set(distinctIds);
  const query = { tenantId, organizationId, userIds, folderIds: [], documentIds };
  const facts = await loadAccess(tx, query);
  const now = unixSeconds(ctx.clock);
  const hasRole = (userId: string) =>
    documentIds.every((documentId) => hasGrant(facts.accessToDocument(userId, documentId, now)));
  return new Set(distinctIds.filter((userId) => userId === tokenUserId || hasRole(userId)));
}

const hasGrant = (access: Access | undefined): boolean =>
  access?.allowed === true && access.grant !== undefined;

/**
 * Returns the users in comments who have to be looked up. With a user token, the authors are left out:
 * they are all the user of the token. With an API key, the addressees are left out: they are stored as given.
 */
export const usersNamedIn = (
  ctx: KeyContext,
  comments: Array<{ from?: NamedUserObject | undefined } & CommentContent>,
): NamedUserObject[] =>
  comments.flatMap(({ from, taggedUserContacts = [], to = [] }) => {
    const others = ctx.userId === undefined ? [from] : to;
    return [...others, ...taggedUserContacts].filter((user) => user !== undefined);
  });
