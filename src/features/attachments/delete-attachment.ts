import type { KeyContext } from '../../api/context.ts';
import { requireAccess } from '../access/require-access.ts';
import {
  attachmentEvent,
  DELETED,
  lockAttachment,
  queueAttachmentUpdate,
  requireVisibleAttachment,
  type SeesAnyAnnotation,
} from './attachments.ts';
import type { AttachmentRefInput } from './schema.ts';

/**
 * Deletes an attachment. A job removes its file within a minute.
 *
 * @throws INVALID_ARGUMENT (attachment_not_found)
 */
export async function deleteAttachment(
  ctx: KeyContext,
  input: AttachmentRefInput,
  seesAnyAnnotation: SeesAnyAnnotation,
): Promise<void> {
  const { tenantId, userId } = ctx;
  await requireAccess(ctx, { ...input, role: 'commenter' });
  const { authorId } = await requireVisibleAttachment(ctx, input, seesAnyAnnotation);
  // Users who may only comment can delete only their own uploads.
  if (authorId !== userId) await requireAccess(ctx, { ...input, role: 'editor' });
  await ctx.db.transaction(async (tx) => {
    const [{ folderId }, row] = await lockAttachment(ctx, tx, input);
    queueAttachmentUpdate(tx, tenantId, input, { completed: row.completed, removeAt: DELETED });
    if (!row.completed) return;
    await ctx.events.append(tx, tenantId, [
      attachmentEvent('attachment.delete', tenantId, row, { folderId, userId }),
    ]);
  });
}
