import { sql } from '../../platform/database/database.ts';
import type { ErasureStep } from '../../platform/erasure/step.ts';
import { MAIL_JOB_NAMES } from './mail-jobs.ts';

/** Deletes waiting and sent emails to the users, except to users who remain in other organizations. */
export const eraseEmails: ErasureStep = {
  name: 'mails',
  async run({ tenantId, userIds }, tx) {
    const removed = await tx.query(sql`
      DELETE FROM pgboss.job
      WHERE name = ANY(${MAIL_JOB_NAMES}) AND data->>'tenantId' = ${tenantId}
        AND data->>'userId' = ANY(${userIds})
        AND data->>'userId' NOT IN (
          SELECT user_id FROM users WHERE tenant_id = ${tenantId} AND user_id = ANY(${userIds}))
      RETURNING 1`);
    return { counts: { mails: removed.length }, next: undefined };
  },
};
