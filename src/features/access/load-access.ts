import { type Queryable, sql } from '../../platform/database/database.ts';
import { type Access, type DecisionStep, decideAccess, type Grant } from './access.ts';
import { loadResources, loadResourcesAcross, type Resource } from './load-resources.ts';
import {
  type DocumentRef,
  keyOf,
  type NamedPlace,
  type ResourceRef,
  resourceOf,
} from './places.ts';

type OnStep = (step: DecisionStep) => void;

/** Grants by user, then by place key. */
type GrantsByUser = Map<string, Map<string, Grant>>;

const byPlaceKey = ([a]: [string, Grant], [b]: [string, Grant]) => (a < b ? -1 : 1);

/**
 * The facts of one organization that decide about access, loaded for any number of users and
 * resources. A decision is undefined for a resource that does not exist.
 */
export class AccessFacts {
  readonly organizationExists: boolean;
  readonly #organizationKey: string;
  readonly #resources: Map<string, Resource>;
  readonly #grants: GrantsByUser;
  readonly #beingDeleted: ReadonlySet<string>;

  constructor(
    organizationExists: boolean,
    organizationId: string,
    resources: Map<string, Resource>,
    grants: GrantsByUser = new Map(),
    beingDeleted: ReadonlySet<string> = new Set(),
  ) {
    this.organizationExists = organizationExists;
    this.#organizationKey = keyOf('organization', organizationId);
    this.#resources = resources;
    this.#grants = grants;
    this.#beingDeleted = beingDeleted;
  }

  accessToDocument(userId: string, documentId: string, now: number): Access | undefined {
    return this.accessToResource(this.resource('document', documentId), userId, now);
  }

  /** Decides about a named document, folder or organization. */
  accessToPlace(
    place: NamedPlace,
    userId: string,
    now: number,
    onStep?: OnStep,
  ): Access | undefined {
    const { type, id } = resourceOf(place);
    if (type !== 'organization')
      return this.accessToResource(this.resource(type, id), userId, now, onStep);
    if (!this.organizationExists) return undefined;
    // Only a grant on the organization itself gives access to it.
    const organizationGrant = this.#grants.get(userId)?.get(this.#organizationKey);
    const accessType = 'organizationPrivate';
    return decideAccess({ accessType, grants: [], organizationGrant }, now, onStep);
  }

  /** Decides about a resource that the caller looked up once for many users. */
  accessToResource(
    resource: Resource | undefined,
    userId: string,
    now: number,
    onStep?: OnStep,
  ): Access | undefined {
    if (!resource) return undefined;
    const { accessType, commentAccess, keys } = resource;
    const grantsByPlace = this.#grants.get(userId);
    const grants = keys.map((key) => grantsByPlace?.get(key));
    const organizationGrant = grantsByPlace?.get(this.#organizationKey);
    return decideAccess({ accessType, grants, organizationGrant, commentAccess }, now, onStep);
  }

  grantsOf(userId: string): Grant[] {
    return [...(this.#grants.get(userId)?.values() ?? [])];
  }

  /** A key that is the same for all users with the same grants, and so with the same access. */
  grantsKey(userId: string): string {
    return JSON.stringify([...(this.#grants.get(userId) ?? [])].sort(byPlaceKey));
  }

  /** Returns the user's grants on one resource, on the folders above it, and on the organization. */
  grantsOn(userId: string, resource: Resource | undefined): Grant[] {
    const grantsByPlace = this.#grants.get(userId);
    const keys = [...(resource?.keys ?? []), this.#organizationKey];
    return keys.flatMap((key) => grantsByPlace?.get(key) ?? []);
  }

  /** Returns the facts about a resource that are the same for all users. */
  resource(type: 'folder' | 'document', id: string): Resource | undefined {
    return this.#resources.get(keyOf(type, id));
  }

  /** Whether a named resource counts as missing only because a background job is deleting it. */
  isBeingDeleted({ type, id }: ResourceRef): boolean {
    return this.#beingDeleted.has(keyOf(type, id));
  }
}

interface AccessQuery {
  tenantId: string;
  organizationId: string;
  userIds: string[];
  folderIds: string[];
  documentIds: string[];
}

/** Loads facts with three statements, whatever the number of users and resources. */
export async function loadAccess(db: Queryable, query: AccessQuery): Promise<AccessFacts> {
  const { organizationId } = query;
  const { organizationExists, resources, beingDeleted } = await loadResources(db, query);
  const byOrganization = new Map([[organizationId, resources]]);
  const grants = organizationExists ? await loadGrants(db, query, byOrganization) : undefined;
  return new AccessFacts(
    organizationExists,
    organizationId,
    resources,
    grants?.get(organizationId),
    beingDeleted,
  );
}

/** Loads the facts about one user and the one resource that an operation names. */
export const loadAccessTo = (
  db: Queryable,
  user: { tenantId: string; userId: string },
  { organizationId, documentId, folderId }: NamedPlace,
): Promise<AccessFacts> =>
  loadAccess(db, {
    tenantId: user.tenantId,
    organizationId,
    userIds: [user.userId],
    folderIds: folderId === undefined ? [] : [folderId],
    documentIds: documentId === undefined ? [] : [documentId],
  });

interface AcrossOrganizationsQuery {
  tenantId: string;
  documents: DocumentRef[];
  /** Further organizations of which the users may be members. */
  organizationIds: string[];
  userIds: string[];
}

/** Loads the facts about documents of several existing organizations. Returns them by organization. */
export async function loadAccessAcross(db: Queryable, query: AcrossOrganizationsQuery) {
  const byOrganization = await loadResourcesAcross(db, query.tenantId, query.documents);
  for (const id of query.organizationIds) {
    if (!byOrganization.has(id)) byOrganization.set(id, new Map());
  }
  const grants = await loadGrants(db, query, byOrganization);
  return new Map(
    [...byOrganization].map(([id, resources]) => [
      id,
      new AccessFacts(true, id, resources, grants.get(id)),
    ]),
  );
}

interface GrantRow extends Grant {
  organizationId: string;
  userId: string;
  type: ResourceRef['type'];
  id: string;
}

/** The most grants that are looked up one by one. Beyond that, all grants of the users are read. */
const MAX_LOOKUPS = 2_000;

/**
 * Loads the users' grants on the organizations and on these resources, by organization. OFFSET 0 makes
 * PostgreSQL use an index even if it underestimates the size of an organization: the primary key for few
 * grants, and for many, the index that begins with the user.
 */
async function loadGrants(
  db: Queryable,
  { tenantId, userIds }: { tenantId: string; userIds: string[] },
  resourcesByOrganization: Map<string, Map<string, Resource>>,
): Promise<Map<string, GrantsByUser>> {
  if (resourcesByOrganization.size === 0) return new Map();
  const users = [...new Set(userIds)];
  const refs = refsIn(resourcesByOrganization);
  const places = sql`
    unnest(${refs.map((ref) => ref.organizationId)}::text[], ${refs.map((ref) => ref.type)}::text[],
           ${refs.map((ref) => ref.id)}::text[]) AS place(organization_id, type, id)`;
  // Both relations return the grants `g` of the user in the current row of `named`.
  const onEachPlace = sql`${places} CROSS JOIN LATERAL (
      SELECT * FROM grants
      WHERE tenant_id = ${tenantId} AND organization_id = place.organization_id
        AND resource_type = place.type AND resource_id = place.id AND user_id = named.user_id
      OFFSET 0
    ) AS g`;
  const ofEachUser = sql`unnest(${[...resourcesByOrganization.keys()]}::text[]) AS within(organization_id)
    CROSS JOIN LATERAL (
      SELECT * FROM grants
      WHERE tenant_id = ${tenantId} AND user_id = named.user_id
        AND organization_id = within.organization_id
      OFFSET 0
    ) AS g
    WHERE (g.organization_id, g.resource_type, g.resource_id) IN (SELECT * FROM ${places})`;
  const rows = await db.query<GrantRow>(sql`
    SELECT g.organization_id AS "organizationId", g.user_id AS "userId", g.resource_type AS type,
           g.resource_id AS id, g.access_role AS "accessRole",
           g.expires_at::float8 AS "expiresAt", g.context
    FROM unnest(${users}::text[]) AS named(user_id)
    CROSS JOIN ${users.length * refs.length <= MAX_LOOKUPS ? onEachPlace : ofEachUser}`);
  const byOrganization = Map.groupBy(rows, (row) => row.organizationId);
  return new Map([...byOrganization].map(([id, grantRows]) => [id, groupByUser(grantRows)]));
}

/** Returns the organizations, the resources and the folders above them, each once. */
function refsIn(byOrganization: Map<string, Map<string, Resource>>) {
  return [...byOrganization].flatMap(([organizationId, resources]) => {
    const organization: ResourceRef = { type: 'organization', id: organizationId };
    const refs = [organization, ...[...resources.values()].flatMap(({ path }) => path)];
    const byKey = new Map(refs.map((ref) => [keyOf(ref.type, ref.id), ref]));
    return [...byKey.values()].map((ref) => ({ organizationId, ...ref }));
  });
}

function groupByUser(rows: GrantRow[]): GrantsByUser {
  const grants: GrantsByUser = new Map();
  for (const { userId, type, id, accessRole, expiresAt, context } of rows) {
    const grantsByPlace = grants.get(userId) ?? new Map<string, Grant>();
    grantsByPlace.set(keyOf(type, id), { accessRole, expiresAt, context });
    grants.set(userId, grantsByPlace);
  }
  return grants;
}
