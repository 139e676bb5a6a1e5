import type { Services } from '../../api/context.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';
import type { AnnotationEvent } from '../notifications/generate/annotation-event.ts';
import { currentEvents } from '../notifications/generate/current-events.ts';
import { type Candidate, selectRecipients } from '../notifications/generate/recipients.ts';
import type { ClaimedMail, MailKey } from './mails.ts';
import { type EmailService, usedEmailServices } from './settings/email-config.ts';

/** A mail to a user who may see the event now, wants mails about it and has an address. */
export interface ReadyMail {
  service: EmailService;
  event: AnnotationEvent;
  recipient: Candidate;
  address: string;
  isByUser: WrittenByUsers;
}

/**
 * Checks each mail of a key again just before it is sent: its comment may have been deleted or
 * hidden, and its recipient's preferences may have changed since it was queued. Comments are read
 * anew, so that retracted or corrected text is not sent.
 *
 * @returns the claimed mails, each with what to send; undefined if the mail is to be dropped
 */
export async function prepareMails(
  ctx: Services,
  tenantId: string,
  claimed: ClaimedMail[],
): Promise<Array<[claimed: ClaimedMail, ready: ReadyMail | undefined]>> {
  const services = await usedEmailServices(ctx, ctx.db, [tenantId]);
  const service = services.get(tenantId);
  const ready = service && (await findReady(ctx, tenantId, service, claimed));
  return claimed.map((mail) => [mail, ready?.get(keyOf(mail))]);
}

function findReady(
  ctx: Services,
  tenantId: string,
  service: EmailService,
  claimed: ClaimedMail[],
): Promise<Map<string, ReadyMail>> {
  const sequences = claimed.map(({ sequence }) => sequence);
  return ctx.db.transaction(async (tx) => {
    const events = await currentEvents(tx, tenantId, sequences);
    const query = { tenantId, triggers: service.triggers, events, now: unixSeconds(ctx.clock) };
    const selected = await selectRecipients(tx, query, 'email');
    const annotationIds = selected.map(({ event }) => event.data.annotationId);
    const isByUser = await loadWrittenByUsers(tx, tenantId, annotationIds);
    const ready = new Map<string, ReadyMail>();
    for (const { event, recipients } of selected) {
      for (const recipient of recipients) {
        const { address, user } = recipient;
        if (address === undefined) continue;
        const key = keyOf({ sequence: event.sequence, userId: user.userId });
        ready.set(key, { service, event, recipient, address, isByUser });
      }
    }
    return ready;
  });
}

const keyOf = ({ sequence, userId }: Omit<MailKey, 'tenantId'>) => `${sequence}:${userId}`;

/** Whether a user, and not the customer's server, wrote a comment, or without its id the annotation. */
type WrittenByUsers = (annotationId: string, commentId?: number) => boolean;

/** Runs one statement for any number of annotations. */
async function loadWrittenByUsers(
  db: Queryable,
  tenantId: string,
  annotationIds: string[],
): Promise<WrittenByUsers> {
  const ids = [...new Set(annotationIds)];
  const rows = await db.query<{ annotationId: string; commentId: number | null }>(sql`
    SELECT annotation_id AS "annotationId", NULL::float8 AS "commentId" FROM comment_annotations
    WHERE tenant_id = ${tenantId} AND annotation_id = ANY(${ids}) AND fields @> '{"isByUser":true}'
    UNION ALL
    SELECT annotation_id, comment_id::float8 FROM comments
    WHERE tenant_id = ${tenantId} AND annotation_id = ANY(${ids}) AND content @> '{"isByUser":true}'`);
  const found = new Set(rows.map((row) => JSON.stringify([row.annotationId, row.commentId])));
  return (annotationId, commentId) => found.has(JSON.stringify([annotationId, commentId ?? null]));
}
