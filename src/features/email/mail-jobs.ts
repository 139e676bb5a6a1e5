import { z } from 'zod';
import type { Services } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { readyJobs } from '../../platform/jobs/job-queue.ts';
import { SMTP_CONNECTIONS } from '../../platform/mail/mail.ts';
import type { BacklogQueue } from '../../platform/processes/backlog.ts';

/** Identifies an email to one user about one event. Everything else is read when the email is sent. */
const mailKey = z.object({ tenantId: z.string(), sequence: z.string(), userId: z.string() });

export type MailKey = z.infer<typeof mailKey>;

/** The most attempts to send an email. The last attempt is about half a day after the first. */
export const MAX_ATTEMPTS = 13;

/** @param perGroup the most emails of one tenant at a time, so that a slow tenant does not block others */
const mailJob = (name: string, workers: number, perGroup: number): Job<MailKey> => ({
  name,
  payload: mailKey,
  keyOf: ({ tenantId, sequence, userId }) => JSON.stringify([tenantId, sequence, userId]),
  bulk: {
    groupOf: ({ tenantId }) => tenantId,
    workers,
    perGroup,
    queue: {
      retryLimit: MAX_ATTEMPTS - 1,
      retryDelay: 10,
      retryBackoff: true,
      retryDelayMax: 6 * 3_600,
      // No attempt takes longer, so no other process sends the same email meanwhile.
      expireInSeconds: 120,
    },
  },
});

/** Each kind of email service has its own queue, so that no kind waits for another. */
export const mailJobs = {
  default: mailJob('mails.default', SMTP_CONNECTIONS, 5),
  external: mailJob('mails.external', 32, 4),
};

export const MAIL_JOB_NAMES = Object.values(mailJobs).map(({ name }) => name);

/** The queue of emails that are due. */
export const mailQueue: BacklogQueue = {
  name: 'mails',
  rows: (now) => readyJobs(MAIL_JOB_NAMES, now),
};

const BATCH_SIZE = 1_000;

/** Moves the emails that processes of the previous release left in the table `mails` to the job queue. */
export async function moveOldMails(ctx: Pick<Services, 'db' | 'jobs' | 'clock'>): Promise<void> {
  while ((await moveSomeMails(ctx)) === BATCH_SIZE);
}

const moveSomeMails = ({ db, jobs, clock }: Pick<Services, 'db' | 'jobs' | 'clock'>) =>
  db.transaction(async (tx) => {
    const mails = await tx.query<MailKey>(sql`
      DELETE FROM mails USING (
        SELECT tenant_id, event_sequence, user_id FROM mails /* all tenants, background */
        WHERE state = 'waiting' AND due_at <= ${new Date(clock.now())}
        ORDER BY due_at LIMIT ${BATCH_SIZE} FOR UPDATE SKIP LOCKED) AS due
      WHERE mails.tenant_id = due.tenant_id AND mails.event_sequence = due.event_sequence
        AND mails.user_id = due.user_id
      RETURNING mails.tenant_id AS "tenantId", mails.event_sequence::text AS sequence,
                mails.user_id AS "userId"`);
    await jobs.add(tx, mailJobs.default, mails);
    return mails.length;
  });
