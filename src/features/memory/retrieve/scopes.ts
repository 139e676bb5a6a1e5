/** A set of judgments that is searched: those of a document, an organization or a key. */
export type Scope =
  | { kind: 'document'; organizationId: string; documentId: string }
  | { kind: 'organization'; organizationId: string }
  | { kind: 'apiKey' };

interface Place {
  organizationId?: string | undefined;
  documentId?: string | undefined;
}

/** The scopes to search for an organization or document, the narrowest first. */
export function scopesOf({ organizationId, documentId }: Place): [Scope, ...Scope[]] {
  const key: Scope = { kind: 'apiKey' };
  if (organizationId === undefined) return [key];
  const organization: Scope = { kind: 'organization', organizationId };
  if (documentId === undefined) return [organization, key];
  return [{ kind: 'document', organizationId, documentId }, organization, key];
}

export const organizationOf = (scope: Scope | undefined): string | undefined =>
  scope && 'organizationId' in scope ? scope.organizationId : undefined;
