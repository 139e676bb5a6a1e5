import { createHash, randomBytes } from 'node:crypto';
import { mapInChunks } from '../../platform/chunks.ts';
import { columnsOf } from '../../platform/database/columns.ts';
import { type Sql, sql } from '../../platform/database/database.ts';
import { isObject } from '../../platform/json.ts';
import type { PresentedActivity } from './schema.ts';

/** The caller's fields that have no columns. They are stored, hashed and presented unchanged. */
type ActivityContent = Pick<
  PresentedActivity,
  'actionUser' | 'displayMessageTemplate' | 'displayMessageTemplateData'
> & { data?: unknown };

/** A record before it has a position in a chain. */
export interface UnchainedRecord {
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

export interface ActivityRecord extends UnchainedRecord {
  position: number;
  previousHash: string;
  hash: string;
  /** Null for a record of the first format, whose hash covers its content directly. */
  contentHash: string | null;
  /** Null for the first format, or after an erasure. */
  contentSalt: string | null;
  /** The time of the last erasure in the record. Since then, its content has not matched its hash. */
  erasedAt: Date | null;
}

const FIELDS = [
  'id',
  'organizationId',
  'documentId',
  'featureType',
  'actionType',
  'userId',
  'content',
  'isImmutable',
  'createdAt',
  'previousHash',
  'hash',
  'contentHash',
  'contentSalt',
  'erasedAt',
];
export const activityColumns: Sql = sql`${columnsOf(FIELDS)}, position::float8 AS position`;

/** The previous hash of the first record in a chain. */
export const FIRST_HASH = '0'.repeat(64);

const sha256OfJson = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('hex');

/**
 * SHA-256 of the personal part of a record: the user and the content. An erasure also deletes the salt, so
 * that nobody can find the content by trying candidates.
 */
const contentHashOf = (
  salt: string,
  { userId, content }: Pick<UnchainedRecord, 'userId' | 'content'>,
): string => sha256OfJson({ salt, userId, content });

/**
 * SHA-256 of a record and the previous hash, as canonical JSON. The user and the content are represented by
 * their hash, which an erasure keeps; the first format includes them directly. The position is left out, so that
 * an inserted record does not make all later ones look changed; the previous hash proves the order.
 */
export const hashOf = (
  tenantId: string,
  record: UnchainedRecord & { contentHash?: string | null },
  previousHash: string,
): string =>
  sha256OfJson({
    tenantId,
    id: record.id,
    organizationId: record.organizationId,
    documentId: record.documentId,
    featureType: record.featureType,
    actionType: record.actionType,
    ...(record.contentHash
      ? { contentHash: record.contentHash }
      : { userId: record.userId, content: record.content }),
    isImmutable: record.isImmutable,
    createdAt: record.createdAt.getTime(),
    previousHash,
  });

/** Whether a record is unchanged, as far as this can be verified for an erased one. */
export function isAsWritten(tenantId: string, record: ActivityRecord): boolean {
  const { contentHash, contentSalt, erasedAt, previousHash, hash } = record;
  // After an erasure, a record of the first format cannot be checked by itself: only the `previousHash` of the
  // next record shows that its hash is unchanged.
  if (contentHash === null && erasedAt !== null) return true;
  if (hashOf(tenantId, record, previousHash) !== hash) return false;
  if (contentHash === null || erasedAt !== null) return true;
  return contentSalt !== null && contentHashOf(contentSalt, record) === contentHash;
}

/** JSON with the keys of every object sorted, so that equal values have equal text. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    isObject(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );

/** Adds records to the end of a chain. */
export async function chainRecords<Unchained extends UnchainedRecord>(
  end: { tenantId: string; length: number; hash: string },
  records: Unchained[],
): Promise<Array<Unchained & ActivityRecord>> {
  let { length, hash } = end;
  return mapInChunks(records, (record) => {
    const previousHash = hash;
    const contentSalt = randomBytes(16).toString('base64url');
    const contentHash = contentHashOf(contentSalt, record);
    hash = hashOf(end.tenantId, { ...record, contentHash }, previousHash);
    length += 1;
    const hashes = { previousHash, hash, contentHash, contentSalt };
    return { ...record, ...hashes, position: length, erasedAt: null };
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
  immutable: record.isImmutable,
  previousHash: record.previousHash,
  hash: record.hash,
  ...(record.erasedAt !== null && { erasedAt: record.erasedAt.getTime() }),
});
