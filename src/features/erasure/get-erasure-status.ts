import type { KeyContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';

interface StatusRow {
  tasksLeft: number;
  lastTaskCompletedAt: Date | null;
  completedAt: Date | null;
  receipt: Record<string, number>;
}

/** @throws NOT_FOUND for a job of another key */
export async function getErasureStatus(ctx: KeyContext, { jobId }: { jobId: string }) {
  const [row] = await ctx.db.query<StatusRow>(sql`
    SELECT cardinality(tasks_left) AS "tasksLeft", completed_at AS "completedAt", receipt,
           last_task_completed_at AS "lastTaskCompletedAt"
    FROM erasures WHERE tenant_id = ${ctx.tenantId} AND job_id = ${jobId}`);
  if (!row) throw new AppError('NOT_FOUND', 'The job does not exist.');
  const { tasksLeft, lastTaskCompletedAt, completedAt, receipt } = row;
  return {
    isDeleteCompleted: completedAt !== null,
    tasksLeft,
    ...(lastTaskCompletedAt && { lastTaskCompletedTime: lastTaskCompletedAt.getTime() }),
    ...(completedAt && { receipt }),
  };
}
