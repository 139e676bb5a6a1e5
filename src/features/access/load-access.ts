import type { Queryable } from '../../platform/database/database.ts';
import {
  type Access,
  type DecisionStep,
  decideAccess,
  decideOrganizationAccess,
  type Grant,
} from './access.ts';
import { type GrantsByUser, loadGrants } from './load-grants.ts';
import { loadResources, type Resource } from './load-resources.ts';
import { keyOf, type NamedPlace, resourceOf } from './places.ts';

export interface AccessQuery {
  tenantId: string;
  organizationId: string;
  userIds: string[];
  folderIds: string[];
  documentIds: string[];
}

type Note = (step: DecisionStep) => void;

/** The facts that decide about access, loaded for any number of users and resources. */
export interface AccessFacts {
  organizationExists: boolean;
  /** Undefined for a resource that does not exist. */
  folder(userId: string, folderId: string, now: number, note?: Note): Access | undefined;
  document(userId: string, documentId: string, now: number, note?: Note): Access | undefined;
  organization(userId: string, now: number, note?: Note): Access;
  /** The same for a loaded resource, for callers that ask for many users. */
  to(resource: Resource | undefined, userId: string, now: number, note?: Note): Access | undefined;
  /** The same for a named document, folder or organization. */
  at(place: NamedPlace, userId: string, now: number, note?: Note): Access | undefined;
  /** The user's grant on the organization, whether or not it has ended. */
  organizationGrant(userId: string): Grant | undefined;
  /** Every loaded grant of the user. */
  grantsOf(userId: string): Grant[];
  /** A key that users with the same grants, and so with the same access, share. */
  grantsKey(userId: string): string;
  /** The user's grants on one resource, on the folders above it, and on the organization. */
  grantsOn(userId: string, resource: Resource | undefined): Grant[];
  /** The facts of a resource that are the same for all users. */
  resource(type: 'folder' | 'document', id: string): Resource | undefined;
}

/** Three statements, whatever the number of users and resources. */
export async function loadAccess(db: Queryable, query: AccessQuery): Promise<AccessFacts> {
  const { organizationExists, resources } = await loadResources(db, query);
  const places = [...resources.values()].flatMap((resource) => resource.places);
  const grants = organizationExists ? await loadGrants(db, query, places) : new Map();
  return new LoadedFacts(organizationExists, query.organizationId, resources, grants);
}

/** The same for one user and the one resource that an operation names. */
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

const byPlace = ([a]: [string, Grant], [b]: [string, Grant]) => (a < b ? -1 : 1);

/** The facts of one organization. */
export class LoadedFacts implements AccessFacts {
  readonly organizationExists: boolean;
  readonly #organizationKey: string;
  readonly #resources: Map<string, Resource>;
  readonly #grants: GrantsByUser;

  constructor(
    organizationExists: boolean,
    organizationId: string,
    resources: Map<string, Resource>,
    grants: GrantsByUser,
  ) {
    this.organizationExists = organizationExists;
    this.#organizationKey = keyOf('organization', organizationId);
    this.#resources = resources;
    this.#grants = grants;
  }

  folder(userId: string, folderId: string, now: number, note?: Note): Access | undefined {
    return this.to(this.resource('folder', folderId), userId, now, note);
  }

  document(userId: string, documentId: string, now: number, note?: Note): Access | undefined {
    return this.to(this.resource('document', documentId), userId, now, note);
  }

  organization(userId: string, now: number, note?: Note): Access {
    return decideOrganizationAccess(this.organizationGrant(userId), now, note);
  }

  at(place: NamedPlace, userId: string, now: number, note?: Note): Access | undefined {
    const { type, id } = resourceOf(place);
    if (type !== 'organization') return this.to(this.resource(type, id), userId, now, note);
    return this.organizationExists ? this.organization(userId, now, note) : undefined;
  }

  organizationGrant(userId: string): Grant | undefined {
    return this.#grants.get(userId)?.get(this.#organizationKey);
  }

  grantsOf(userId: string): Grant[] {
    return [...(this.#grants.get(userId)?.values() ?? [])];
  }

  grantsKey(userId: string): string {
    return JSON.stringify([...(this.#grants.get(userId) ?? [])].sort(byPlace));
  }

  grantsOn(userId: string, resource: Resource | undefined): Grant[] {
    const own = this.#grants.get(userId);
    return [...(resource?.keys ?? []), this.#organizationKey].flatMap((key) => own?.get(key) ?? []);
  }

  resource(type: 'folder' | 'document', id: string): Resource | undefined {
    return this.#resources.get(keyOf(type, id));
  }

  to(resource: Resource | undefined, userId: string, now: number, note?: Note): Access | undefined {
    if (!resource) return undefined;
    const own = this.#grants.get(userId);
    const path = {
      accessType: resource.accessType,
      grants: resource.keys.map((key) => own?.get(key)),
      organizationGrant: own?.get(this.#organizationKey),
      commentAccess: resource.commentAccess,
    };
    return decideAccess(path, now, note);
  }
}
