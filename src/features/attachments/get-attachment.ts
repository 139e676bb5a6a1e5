import type { KeyContext } from '../../api/context.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { requireDocument } from '../access/require-access.ts';
import {
  presentAttachment,
  requireFiles,
  requireVisibleAttachment,
  type SeesAnyAnnotation,
  storedFile,
} from './attachments.ts';
import type { AttachmentRefInput, PresentedDownloadLink } from './schema.ts';

/** How long a download link is valid. Access is checked only when the link is created. */
const DOWNLOAD_SECONDS = 300;

/**
 * Returns an attachment with a link to its file.
 *
 * @throws INVALID_ARGUMENT (attachment_not_found), also for users who see none of the comments that
 *   name it; FAILED_PRECONDITION if it has not been uploaded or, for users, not been approved
 */
export async function getAttachment(
  ctx: KeyContext,
  input: AttachmentRefInput,
  seesAnyAnnotation: SeesAnyAnnotation,
): Promise<PresentedDownloadLink> {
  const files = requireFiles(ctx);
  const { tenantId, userId } = ctx;
  await requireDocument(ctx, input, 'viewer');
  const row = await requireVisibleAttachment(ctx, input, seesAnyAnnotation);
  if (!row.completed) {
    throw new AppError('FAILED_PRECONDITION', 'The upload has not been completed.');
  }
  if (userId !== undefined && !row.isApproved) {
    throw new AppError('FAILED_PRECONDITION', 'The attachment has not been approved yet.');
  }
  const url = await files.downloadLink(storedFile(tenantId, row), DOWNLOAD_SECONDS);
  const expiresAt = unixSeconds(ctx.clock) + DOWNLOAD_SECONDS;
  return { ...presentAttachment(tenantId, row), url, expiresAt };
}
