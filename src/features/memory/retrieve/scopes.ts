/** Where precedents are looked for. */
export type Scope =
  | { kind: 'document'; organizationId: string; documentId: string }
  | { kind: 'organization'; organizationId: string }
  | { kind: 'apiKey' };

interface Place {
  organizationId?: string | undefined;
  documentId?: string | undefined;
}

/** Where precedents of a place are looked for, the narrowest first. */
export function scopesOf({ organizationId, documentId }: Place): [Scope, ...Scope[]] {
  const key: Scope = { kind: 'apiKey' };
  if (organizationId === undefined) return [key];
  const organization: Scope = { kind: 'organization', organizationId };
  if (documentId === undefined) return [organization, key];
  return [{ kind: 'document', organizationId, documentId }, organization, key];
}

/** As people read it. */
export const SCOPE_LABELS: Record<Scope['kind'], string> = {
  document: 'This document',
  organization: 'This organization',
  apiKey: 'All content',
};
