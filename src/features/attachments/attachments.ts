import type { KeyContext, Services } from '../../api/context.ts';
import { columnsOf } from '../../platform/database/columns.ts';
import {
  empty,
  type Queryable,
  type Sql,
  sql,
  type Transaction,
} from '../../platform/database/database.ts';
import { namedRows } from '../../platform/database/named-rows.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { AppError, invalidArgument } from '../../platform/errors.ts';
import type { NewEvent } from '../../platform/events/event-log.ts';
import type { FileStore, StoredFile } from '../../platform/files/file-store.ts';
import type { DocumentRef } from '../access/places.ts';
import { documentChannels, requireLockedDocument } from '../directory/documents/lock-document.ts';
import type { AttachmentRefInput, PresentedAttachment } from './schema.ts';

/** The row of an attachment that is not deleted. */
export interface AttachmentRow {
  organizationId: string;
  documentId: string;
  attachmentId: string;
  authorId: string | null;
  name: string;
  type: string;
  /** Bytes. The driver returns the type `bigint` as text. */
  size: string;
  /** Epoch milliseconds, a `bigint` too. */
  createdMs: string;
  checksum: string | null;
  completed: boolean;
  /** The comment annotations that name the attachment. */
  annotationIds: string[];
  /** Whether the upload is completed, and approved if the key requires that. Users may then download it. */
  isApproved: boolean;
}

// biome-ignore format: several names per line
const FIELDS = [
  'organizationId', 'documentId', 'attachmentId', 'authorId', 'name', 'type', 'size', 'createdMs',
  'checksum', 'completed', 'annotationIds',
];
export const attachmentColumns = sql`${columnsOf(FIELDS)}, remove_at IS NULL AS "isApproved"`;

/** The `remove_at` of deleted attachments. It is in the past for every clock. */
export const DELETED = new Date(0);

/** Reads the attachments of a document that have these ids, uploaded or not. */
export const selectAttachments = (
  { tenantId, clock }: Pick<KeyContext, 'tenantId' | 'clock'>,
  db: Queryable,
  { organizationId, documentId }: DocumentRef,
  attachmentIds: string[],
  lock: Sql = empty,
): Promise<AttachmentRow[]> =>
  db.query<AttachmentRow>(sql`
    SELECT ${attachmentColumns} FROM ${namedRows({
      table: sql`attachments`,
      where: sql`tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND document_id = ${documentId} AND (remove_at IS NULL OR remove_at > ${new Date(clock.now())})`,
      idColumn: sql`attachment_id`,
      ids: attachmentIds,
      lock,
    })} a`);

/**
 * Reads an attachment. With `lock`, it stays locked until the transaction ends.
 *
 * @throws INVALID_ARGUMENT (attachment_not_found)
 */
async function requireAttachment(
  ctx: KeyContext,
  db: Queryable,
  input: AttachmentRefInput,
  lock?: Sql,
): Promise<AttachmentRow> {
  const [row] = await selectAttachments(ctx, db, input, [input.attachmentId], lock);
  if (row) return row;
  throw attachmentNotFound();
}

/** Whether the caller may see at least one of these comment annotations. */
export type SeesAnyAnnotation = (ctx: KeyContext, annotationIds: string[]) => Promise<boolean>;

/**
 * Reads an attachment that the caller may see. If comments name it, only the user who uploaded it and
 * users who see one of these comments may see it.
 *
 * @throws INVALID_ARGUMENT (attachment_not_found)
 */
export async function requireVisibleAttachment(
  ctx: KeyContext,
  input: AttachmentRefInput,
  seesAnyAnnotation: SeesAnyAnnotation,
): Promise<AttachmentRow> {
  const { userId } = ctx;
  const row = await requireAttachment(ctx, ctx.db, input);
  if (userId === undefined || row.annotationIds.length === 0 || row.authorId === userId) return row;
  if (await seesAnyAnnotation(ctx, row.annotationIds)) return row;
  throw attachmentNotFound();
}

/** Locks an attachment and its document. Returns the attachment and the folder of the document. */
export const lockAttachment = (ctx: KeyContext, tx: Transaction, input: AttachmentRefInput) =>
  pipeline([
    requireLockedDocument(tx, ctx.tenantId, input),
    requireAttachment(ctx, tx, input, sql`FOR UPDATE`),
  ]);

const attachmentNotFound = () =>
  invalidArgument('The attachment does not exist in this document.', {
    reason: 'attachment_not_found',
  });

/** Sets, at the end of the transaction, whether an attachment was uploaded and when it is removed. */
export function queueAttachmentUpdate(
  tx: Transaction,
  tenantId: string,
  { organizationId, documentId, attachmentId }: AttachmentRefInput,
  { completed, removeAt }: { completed: boolean; removeAt: Date | null },
): void {
  tx.beforeCommit(sql`
    UPDATE attachments SET completed = ${completed}, remove_at = ${removeAt}
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId} AND attachment_id = ${attachmentId}`);
}

/** @throws FAILED_PRECONDITION if the server has no file store */
export function requireFiles({ files }: Pick<Services, 'files'>, noun = 'Attachments'): FileStore {
  if (files) return files;
  throw new AppError(
    'FAILED_PRECONDITION',
    `${noun} are not available, because the processes of this server have no shared place for files. The operator of the server can set S3_BUCKET or FILES_DIR.`,
  );
}

/** Returns the key under which the file of an attachment is stored. No part of it comes from a client. */
export const fileKey = (tenantId: string, attachmentId: string): string =>
  `${tenantId}/${attachmentId}`;

/** Describes the file of an attachment for the file store. */
export const storedFile = (
  tenantId: string,
  { attachmentId, name, type, size, checksum }: AttachmentRow,
): StoredFile => ({
  key: fileKey(tenantId, attachmentId),
  name,
  type,
  size: Number(size),
  checksum,
});

export const presentAttachment = (tenantId: string, row: AttachmentRow): PresentedAttachment => ({
  attachmentId: row.attachmentId,
  name: row.name,
  size: Number(row.size),
  type: row.type,
  ...(row.checksum !== null && { checksum: row.checksum }),
  ...(row.authorId !== null && { userId: row.authorId }),
  createdAt: Number(row.createdMs),
  isApproved: row.isApproved,
  metadata: { apiKey: tenantId, organizationId: row.organizationId, documentId: row.documentId },
});

/** Returns an event about an attachment; `userId` is the acting user, if known. */
export const attachmentEvent = (
  type: 'attachment.add' | 'attachment.delete',
  tenantId: string,
  row: AttachmentRow,
  { folderId, userId }: { folderId: string | null; userId: string | undefined },
): NewEvent => ({
  type,
  organizationId: row.organizationId,
  documentId: row.documentId,
  channels: documentChannels(row, folderId, userId),
  data: presentAttachment(tenantId, row),
});
