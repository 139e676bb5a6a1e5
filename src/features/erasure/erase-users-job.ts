import { z } from 'zod';
import type { Services } from '../../api/context.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { Anonymiser } from '../../platform/erasure/anonymiser.ts';
import type { Contents, ErasedPerson } from '../../platform/erasure/people.ts';
import type { Erasure, ErasureStep } from '../../platform/erasure/step.ts';
import { awaitReaders } from '../../platform/events/reader-partitions.ts';
import { handleJob, type Job } from '../../platform/jobs/job.ts';

/**
 * The payload does not name the users, because the queue keeps its jobs. The row of the erasure
 * names them.
 */
const Payload = z.object({ tenantId: z.string(), jobId: z.string() });

type JobRef = z.infer<typeof Payload>;

export const eraseUsersJob: Job<JobRef> = {
  name: 'users.erase',
  payload: Payload,
  keyOf: ({ tenantId, jobId }) => JSON.stringify([tenantId, jobId]),
};

interface ErasureRow {
  /** Null when the job is done. */
  people: ErasedPerson[] | null;
  organizationIds: string[];
  contents: Contents;
  /** The tasks that are left. A task is one run of a step, and has its name. Most steps run twice, in two rounds. */
  tasksLeft: string[];
  /** The position in the first of these tasks. */
  cursor: string[];
  receipt: Record<string, number>;
}

/**
 * Runs the tasks, each in small transactions. The progress is committed with the work, so that
 * nothing is skipped or counted twice after a crash, or by two workers at the same time.
 */
export const eraseUsersHandler = (steps: readonly ErasureStep[]) =>
  handleJob(eraseUsersJob, async (services: Services, ref, signal) => {
    let isNewRound = true;
    let tasksLeft: string[];
    do {
      signal.throwIfAborted();
      if (isNewRound) await flushReaders(services, ref);
      tasksLeft = await services.db.transaction((tx) => runNextTask(services, tx, ref, steps));
      // A round begins when the first step is next. If that step runs in several parts, this flushes before each
      // part, which does no harm.
      isNewRound = tasksLeft[0] === steps[0]?.name;
    } while (tasksLeft.length > 0);
  });

/**
 * Moves pending events into the log, where the steps search them. Then waits for the readers of the log, which
 * may still be handling events from before the erasure, so that the next round of steps finds what they write.
 */
async function flushReaders({ db, events }: Services, { tenantId }: JobRef): Promise<void> {
  await events.sequence(tenantId);
  await awaitReaders(db, tenantId);
}

/** Runs the next task, or a part of it, and returns the remaining tasks. */
async function runNextTask(
  services: Services,
  tx: Transaction,
  ref: JobRef,
  steps: readonly ErasureStep[],
): Promise<string[]> {
  const row = await lockErasure(tx, ref);
  if (!row?.people) return [];
  const [task = '', ...others] = row.tasksLeft;
  const erasure = erasureOf(services, ref, row, row.people);
  const step = steps.find(({ name }) => name === task);
  // An erasure that was started by an earlier version may have a task whose step no longer exists.
  const result = await step?.run(erasure, tx, row.cursor);
  const { counts, next } = result ?? { counts: {}, next: undefined };
  const tasksLeft = next ? row.tasksLeft : others;
  const receipt = { ...row.receipt };
  for (const [kind, count] of Object.entries(counts)) {
    receipt[kind] = (receipt[kind] ?? 0) + count;
  }
  const progress = { receipt, tasksLeft, cursor: next ?? [] };
  await writeProgress(tx, ref, progress, { isTaskOver: !next, now: services.clock.now() });
  return tasksLeft;
}

async function lockErasure(tx: Transaction, { tenantId, jobId }: JobRef) {
  const [row] = await tx.query<ErasureRow>(sql`
    SELECT people, organization_ids AS "organizationIds", contents, tasks_left AS "tasksLeft", cursor, receipt
    FROM erasures WHERE tenant_id = ${tenantId} AND job_id = ${jobId} FOR UPDATE`);
  return row;
}

const erasureOf = (
  { events, secrets, clock }: Services,
  { tenantId }: JobRef,
  { organizationIds, contents }: ErasureRow,
  people: ErasedPerson[],
): Erasure => ({
  events,
  secrets,
  clock,
  tenantId,
  contents,
  people,
  userIds: people.map((person) => person.userId),
  anonymiser: new Anonymiser(people, contents),
  organizationIds: organizationIds.length > 0 ? organizationIds : undefined,
});

/** Stores the progress. After the last task, this also deletes the data that names the users. */
async function writeProgress(
  tx: Transaction,
  { tenantId, jobId }: JobRef,
  { receipt, tasksLeft, cursor }: Pick<ErasureRow, 'receipt' | 'tasksLeft' | 'cursor'>,
  { isTaskOver, now }: { isTaskOver: boolean; now: number },
): Promise<void> {
  const isDone = tasksLeft.length === 0;
  await tx.query(sql`
    UPDATE erasures SET receipt = ${JSON.stringify(receipt)}::jsonb, tasks_left = ${tasksLeft},
      cursor = ${cursor},
      last_task_completed_at = CASE WHEN ${isTaskOver} THEN ${new Date(now)}::timestamptz
        ELSE last_task_completed_at END,
      completed_at = CASE WHEN ${isDone} THEN ${new Date(now)}::timestamptz END,
      people = CASE WHEN ${isDone} THEN NULL ELSE people END,
      request_hash = CASE WHEN ${isDone} THEN NULL ELSE request_hash END
    WHERE tenant_id = ${tenantId} AND job_id = ${jobId}`);
}
