import type { KeyContext } from '../../api/context.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { AppError } from '../../platform/errors.ts';
import { requireDocumentAccess } from '../access/require-access.ts';
import { requireLockedDocument } from '../directory/documents/lock-document.ts';
import {
  type AttachmentRow,
  attachmentEvent,
  lockAttachment,
  presentAttachment,
  requireAttachment,
  requireFiles,
  setRemoval,
  storedFile,
} from './attachments.ts';
import type { AttachmentRefInput, PresentedAttachment } from './schema.ts';

/** An upload that no API key approves within this time is removed. */
const APPROVAL_MS = 24 * 60 * 60 * 1000;

/**
 * Makes an uploaded file an attachment, once the store has what was announced. Calls after the first
 * change nothing, unless an API key approves what a user uploaded.
 *
 * @throws INVALID_ARGUMENT (attachment_not_found); FAILED_PRECONDITION when nothing or something
 *   else was uploaded
 */
export async function completeUpload(
  ctx: KeyContext,
  input: AttachmentRefInput,
): Promise<PresentedAttachment> {
  const files = requireFiles(ctx);
  const { tenantId, userId } = ctx;
  await requireDocumentAccess(ctx, { ...input, role: 'commenter' });
  const announced = await requireAttachment(ctx, input);
  // Outside of the transaction, since a store may take seconds to answer.
  if (!announced.completed) requireSame(await files.compare(storedFile(tenantId, announced)));
  const approves = userId === undefined || !ctx.key.requireAttachmentApproval;
  return ctx.db.transaction(async (tx) => {
    const [{ folderId }, before] = await pipeline([
      requireLockedDocument(tx, tenantId, input),
      lockAttachment(ctx, tx, input),
    ]);
    const isApproved = before.isApproved || approves;
    const after: AttachmentRow = { ...before, completed: true, isApproved };
    const removeAt = isApproved ? null : new Date(ctx.clock.now() + APPROVAL_MS);
    if (!before.completed || isApproved !== before.isApproved) {
      setRemoval(tx, tenantId, input, { completed: true, removeAt });
    }
    if (!before.completed) {
      await ctx.events.append(tx, tenantId, [
        attachmentEvent('attachment.add', tenantId, after, { folderId, userId }),
      ]);
    }
    return presentAttachment(tenantId, after);
  });
}

function requireSame(compared: 'missing' | 'different' | 'same'): void {
  if (compared === 'same') return;
  throw new AppError(
    'FAILED_PRECONDITION',
    compared === 'missing'
      ? 'The file was not uploaded yet.'
      : 'The uploaded file is not the one that was announced. Create another upload.',
  );
}
