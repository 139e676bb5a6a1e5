import type { Services } from '../../api/context.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';
import type { AnnotationEvent } from '../notifications/generate/annotation-event.ts';
import { currentEvents } from '../notifications/generate/current-events.ts';
import { type Candidate, selectRecipients } from '../notifications/generate/recipients.ts';
import type { MailKey } from './mail-jobs.ts';
import { type EmailService, loadUsedEmailServices } from './settings/email-config.ts';

/** An email to a user who may see the event now, wants emails about it and has an address. */
export interface ReadyMail {
  service: EmailService;
  event: AnnotationEvent;
  recipient: Candidate;
  address: string;
  isWrittenByUser: IsWrittenByUser;
}

/**
 * Checks an email again just before it is sent: since it was queued, its comment may have been deleted,
 * hidden or read, and its recipient's preferences may have changed. Comments are read again, so that
 * retracted or corrected text is not sent.
 *
 * @returns the email to send; undefined if it is to be dropped
 */
export async function prepareMail(
  ctx: Services,
  { tenantId, sequence, userId }: MailKey,
): Promise<ReadyMail | undefined> {
  const service = (await loadUsedEmailServices(ctx, ctx.db, [tenantId])).get(tenantId);
  if (!service) return undefined;
  return ctx.db.transaction(async (tx) => {
    const events = await currentEvents(tx, tenantId, [sequence]);
    const query = { tenantId, triggers: service.triggers, events, now: unixSeconds(ctx.clock) };
    const [selected] = await selectRecipients(tx, query, 'email');
    const recipient = selected?.recipients.find(({ user }) => user.userId === userId);
    if (!selected || recipient?.address === undefined || recipient.hasRead) return undefined;
    const { event } = selected;
    const isWrittenByUser = await loadWrittenByUsers(tx, tenantId, event.data.annotationId);
    return { service, event, recipient, address: recipient.address, isWrittenByUser };
  });
}

/** Whether a user, and not the customer's server, wrote a part: the comment with this id, or the page info. */
type IsWrittenByUser = (part: number | 'pageInfo') => boolean;

async function loadWrittenByUsers(
  db: Queryable,
  tenantId: string,
  annotationId: string,
): Promise<IsWrittenByUser> {
  // A null stands for the `pageInfo` of the annotation.
  const rows = await db.query<{ commentId: number | null }>(sql`
    SELECT NULL::float8 AS "commentId" FROM comment_annotations
    WHERE tenant_id = ${tenantId} AND annotation_id = ${annotationId}
      AND fields @> '{"isByUser":true}'
    UNION ALL
    SELECT comment_id::float8 FROM comments
    WHERE tenant_id = ${tenantId} AND annotation_id = ${annotationId}
      AND content @> '{"isByUser":true}'`);
  const found = new Set(rows.map((row) => row.commentId));
  return (part) => found.has(part === 'pageInfo' ? null : part);
}
