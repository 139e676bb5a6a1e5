import type { KeyContext } from '../../api/context.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { AppError, invalidField } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { requireAccess } from '../access/require-access.ts';
import { requireLockedDocument } from '../directory/documents/lock-document.ts';
import {
  type AttachmentRow,
  attachmentEvent,
  fileKey,
  lockAttachment,
  presentAttachment,
  queueAttachmentUpdate,
  requireFiles,
  requireVisibleAttachment,
  type SeesAnyAnnotation,
  storedFile,
} from './attachments.ts';
import type { AttachmentRefInput, CreateUploadInput } from './schema.ts';

/** How long an upload link is valid. */
const UPLOAD_SECONDS = 3_600;
/** How long `complete` can still be called after the link has expired. */
const COMPLETE_SECONDS = 3_600;
/** `complete` can be called for this long after `createUpload`. No file arrives later than that. */
export const UPLOAD_MS = (UPLOAD_SECONDS + COMPLETE_SECONDS) * 1000;

/**
 * Registers a file that will be uploaded, and returns a link that accepts it. Unless `complete` is called,
 * the attachment and its file are removed after two hours.
 *
 * @throws INVALID_ARGUMENT for a file that is too large or of a type that is not allowed; RESOURCE_EXHAUSTED
 *   if the file exceeds the storage quota
 */
export async function createUpload(ctx: KeyContext, input: CreateUploadInput) {
  const files = requireFiles(ctx);
  const { tenantId } = ctx;
  const { name, type, size, checksum = null } = input;
  requireAllowedFile(ctx, input);
  await requireAccess(ctx, { ...input, role: 'commenter' });
  const attachmentId = newId();
  const register = async () => {
    await ctx.db.transaction((tx) =>
      pipeline([
        requireLockedDocument(tx, tenantId, input),
        insertAttachment(ctx, tx, input, attachmentId),
      ]),
    );
    // `runChange` gives the bytes back to the quota, unless the result is `ok`.
    return { ok: true };
  };
  const quotas = ctx.quotas.of(tenantId, ctx.key.quotas);
  await (quotas ? quotas.runChange(size, register) : register());
  const file = { key: fileKey(tenantId, attachmentId), name, type, size, checksum };
  const link = await files.uploadLink(file, UPLOAD_SECONDS);
  return { attachmentId, ...link, expiresAt: unixSeconds(ctx.clock) + UPLOAD_SECONDS };
}

/** @throws INVALID_ARGUMENT */
function requireAllowedFile(
  { config: { attachmentLimitBytes, attachmentTypes } }: KeyContext,
  { size, type }: CreateUploadInput,
): void {
  if (size > attachmentLimitBytes) {
    throw invalidField('size', `must be at most ${attachmentLimitBytes} bytes`);
  }
  const isAllowed = attachmentTypes.some((allowed) =>
    allowed.endsWith('*') ? type.startsWith(allowed.slice(0, -1)) : type === allowed,
  );
  if (!isAllowed) throw invalidField('type', `must be one of ${attachmentTypes.join(', ')}`);
}

function insertAttachment(
  { tenantId, userId, clock }: KeyContext,
  tx: Transaction,
  input: CreateUploadInput,
  attachmentId: string,
) {
  const { organizationId, documentId, name, type, size, checksum = null } = input;
  const now = clock.now();
  const removeAt = new Date(now + UPLOAD_MS);
  return tx.query(sql`
    INSERT INTO attachments (tenant_id, organization_id, document_id, attachment_id, author_id,
      name, type, size, checksum, created_ms, remove_at)
    VALUES (${tenantId}, ${organizationId}, ${documentId}, ${attachmentId},
      ${userId ?? input.userId ?? null}, ${name}, ${type}, ${size}, ${checksum}, ${now},
      ${removeAt})`);
}

/** An upload that no API key approves within this time is removed. */
const APPROVAL_MS = 24 * 60 * 60 * 1000;

/**
 * Completes an upload, if the file store has the declared file. A repeated call changes nothing, unless
 * an API key thereby approves the upload of a user.
 *
 * @throws INVALID_ARGUMENT (attachment_not_found); FAILED_PRECONDITION if no file or a different one
 *   was uploaded
 */
export async function completeUpload(
  ctx: KeyContext,
  input: AttachmentRefInput,
  seesAnyAnnotation: SeesAnyAnnotation,
) {
  const files = requireFiles(ctx);
  const { tenantId, userId } = ctx;
  await requireAccess(ctx, { ...input, role: 'commenter' });
  const declared = await requireVisibleAttachment(ctx, input, seesAnyAnnotation);
  // The file is compared outside of the transaction: a file store may take seconds to respond.
  if (!declared.completed) requireSameFile(await files.compare(storedFile(tenantId, declared)));
  const mayApprove = userId === undefined || !ctx.key.requireAttachmentApproval;
  return ctx.db.transaction(async (tx) => {
    const [{ folderId }, before] = await lockAttachment(ctx, tx, input);
    const isApproved = before.isApproved || mayApprove;
    const after: AttachmentRow = { ...before, completed: true, isApproved };
    const removeAt = isApproved ? null : new Date(ctx.clock.now() + APPROVAL_MS);
    if (!before.completed || isApproved !== before.isApproved) {
      queueAttachmentUpdate(tx, tenantId, input, { completed: true, removeAt });
    }
    if (!before.completed) {
      await ctx.events.append(tx, tenantId, [
        attachmentEvent('attachment.add', tenantId, after, { folderId, userId }),
      ]);
    }
    return presentAttachment(tenantId, after);
  });
}

function requireSameFile(compared: 'missing' | 'different' | 'same'): void {
  if (compared === 'same') return;
  throw new AppError(
    'FAILED_PRECONDITION',
    compared === 'missing'
      ? 'The file has not been uploaded yet.'
      : 'The uploaded file differs from the one declared in createUpload. Create another upload.',
  );
}
