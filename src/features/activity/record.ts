import { createHash } from 'node:crypto';
import type { PresentedActivity } from './schema.ts';

/** What a caller may say beside the columns; it is kept, hashed and shown as it is. */
export type ActivityContent = Pick<
  PresentedActivity,
  'actionUser' | 'displayMessageTemplate' | 'displayMessageTemplateData'
> & { data?: unknown };

/** What a record says, before it has a place in the chain. */
export interface ActivityFacts {
  id: string;
  organizationId: string;
  documentId: string | null;
  featureType: string;
  actionType: string;
  userId: string | null;
  content: ActivityContent;
  isImmutable: boolean;
  createdAt: Date;
}

export interface ActivityRecord extends ActivityFacts {
  position: number;
  previousHash: string;
  hash: string;
}

/** What the first record of a chain has for the hash of the one before it. */
export const FIRST_HASH = '0'.repeat(64);

/**
 * SHA-256 of a record and of the hash before it, as canonical JSON. Its position is not part of it:
 * the link to the one before says more, and tells an insertion from a change.
 */
export const hashOf = (tenantId: string, facts: ActivityFacts, previousHash: string): string =>
  createHash('sha256')
    .update(
      canonicalJson({
        tenantId,
        id: facts.id,
        organizationId: facts.organizationId,
        documentId: facts.documentId,
        featureType: facts.featureType,
        actionType: facts.actionType,
        userId: facts.userId,
        content: facts.content,
        isImmutable: facts.isImmutable,
        createdAt: facts.createdAt.getTime(),
        previousHash,
      }),
    )
    .digest('hex');

/** JSON with the keys of every object in order, so that equal values have equal text. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );

/** Gives facts their places at the end of a chain. */
export function chain(
  tenantId: string,
  end: { length: number; hash: string },
  facts: ActivityFacts[],
): ActivityRecord[] {
  let { length, hash } = end;
  return facts.map((fact) => {
    const previousHash = hash;
    hash = hashOf(tenantId, fact, previousHash);
    length += 1;
    return { ...fact, position: length, previousHash, hash };
  });
}

export const presentActivity = (tenantId: string, record: ActivityRecord): PresentedActivity => ({
  id: record.id,
  position: record.position,
  featureType: record.featureType,
  actionType: record.actionType,
  timestamp: record.createdAt.getTime(),
  metadata: {
    apiKey: tenantId,
    organizationId: record.organizationId,
    ...(record.documentId !== null && { documentId: record.documentId }),
  },
  ...record.content,
  data: record.content.data,
  immutable: record.isImmutable,
  previousHash: record.previousHash,
  hash: record.hash,
});
