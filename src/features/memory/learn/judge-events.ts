import { z } from 'zod';
import type { Services } from '../../../api/context.ts';
import { empty, sql, type Transaction } from '../../../platform/database/database.ts';
import type { EventReader } from '../../../platform/events/event-reader.ts';
import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import { handleJob, type Job } from '../../../platform/jobs/job.ts';
import { hasFields } from '../judgments/query-judgments.ts';
import {
  deleteJudgments,
  insertJudgments,
  type StoredJudgment,
} from '../judgments/store-judgments.ts';
import {
  annotationHiddenBy,
  DECIDING_EVENTS,
  judgmentFromEvent,
  VISIBILITY_EVENT,
} from './judgment-from-event.ts';

/**
 * Makes a judgment from every decision about an annotation or a suggestion. Deletes the judgments of
 * annotations that some readers of the document may no longer see, and the judgments of deleted
 * organizations. The judgments of deleted annotations and documents stay as precedents of their organization.
 * Judgments of deleted documents are marked, so that readers of a new document with the same id do not find
 * them.
 */
export const judgmentReader: EventReader<Services> = {
  name: 'memory',
  types: [...DECIDING_EVENTS, VISIBILITY_EVENT, 'document.delete', 'organization.delete'],
  async handle({ clock, jobs }, tx, events, isLate = false) {
    for (const [tenantId, tenantEvents] of groupByTenant(events)) {
      const { judgments, hiddenIds } = judgmentsFrom(tenantEvents);
      if (hiddenIds.length > 0) {
        await deleteJudgments(tx, tenantId, sql`annotation_id = ANY(${hiddenIds})`);
      }
      const current = isLate ? await filterPublic(tx, tenantId, judgments) : judgments;
      await insertJudgments(tx, tenantId, current, clock.now());
      const deletions = tenantEvents
        .filter(({ type }) => type === 'document.delete')
        .flatMap(deletionOf);
      await jobs.add(tx, markJudgmentsJob, await filterJudged(tx, tenantId, deletions));
    }
    const organizations = events.filter(({ type }) => type === 'organization.delete');
    await jobs.add(tx, deleteJudgmentsJob, organizations.flatMap(deletionOf));
  },
};

/** Groups events by tenant, in the order of ids: readers that lock rows of several tenants cannot deadlock. */
const groupByTenant = (events: LoggedEvent[]): Array<[tenantId: string, events: LoggedEvent[]]> =>
  [...Map.groupBy(events, ({ tenantId }) => tenantId)].sort(([a], [b]) => (a < b ? -1 : 1));

/** Returns the judgments made from events, in order, and the annotations whose earlier judgments must be deleted. */
function judgmentsFrom(events: LoggedEvent[]) {
  let judgments: StoredJudgment[] = [];
  const hiddenIds: string[] = [];
  for (const event of events) {
    const judgment = judgmentFromEvent(event);
    if (judgment) judgments.push(judgment);
    const hidden = annotationHiddenBy(event);
    if (hidden !== undefined) {
      judgments = judgments.filter(({ annotationId }) => annotationId !== hidden);
      hiddenIds.push(hidden);
    }
  }
  return { judgments, hiddenIds };
}

/**
 * Returns the judgments of annotations that still exist and that all readers of the document see. This is
 * for events that are handled late: later events, which hid or deleted the annotation, its document or its
 * organization, may already have been handled. An annotation that was created after the decision is another
 * one with the same id.
 */
async function filterPublic(
  tx: Transaction,
  tenantId: string,
  judgments: StoredJudgment[],
): Promise<StoredJudgment[]> {
  const rows = await tx.query<{ recordId: string }>(sql`
    SELECT "recordId"
    FROM jsonb_to_recordset(${JSON.stringify(judgments)}::jsonb) AS judgment(
      "recordId" text, "annotationId" text, "recordedMs" bigint)
    JOIN comment_annotations a ON a.tenant_id = ${tenantId} AND a.annotation_id = "annotationId"
    WHERE a.created_at <= "recordedMs" AND a.visibility->>'type' = 'public' AND a.access IS NULL`);
  const publicIds = new Set(rows.map(({ recordId }) => recordId));
  return judgments.filter(({ recordId }) => publicIds.has(recordId));
}

const deletion = z.object({
  tenantId: z.string(),
  organizationId: z.string(),
  /** Absent: the whole organization was deleted. */
  documentId: z.string().optional(),
  /** Judgments after this time belong to a new organization or document with the same id. */
  deletedMs: z.number(),
});
type Deletion = z.infer<typeof deletion>;

function deletionOf({ tenantId, organizationId, documentId, createdAt }: LoggedEvent): Deletion[] {
  if (organizationId === null) return [];
  const place = { tenantId, organizationId, documentId: documentId ?? undefined };
  return [{ ...place, deletedMs: createdAt.getTime() }];
}

/** Returns those deletions whose documents have judgments. */
async function filterJudged(
  tx: Transaction,
  tenantId: string,
  deletions: Deletion[],
): Promise<Deletion[]> {
  if (deletions.length === 0) return [];
  return tx.query<Deletion>(sql`
    SELECT ${tenantId}::text AS "tenantId", "organizationId", "documentId", "deletedMs"
    FROM jsonb_to_recordset(${JSON.stringify(deletions)}::jsonb) AS deleted(
      "organizationId" text, "documentId" text, "deletedMs" float8)
    WHERE EXISTS (
      SELECT 1 FROM memory_judgments
      WHERE tenant_id = ${tenantId} AND organization_id = "organizationId"
        AND document_id = "documentId")`);
}

const deletionJob = (name: string): Job<Deletion> => ({
  name,
  payload: deletion,
  keyOf: ({ tenantId, organizationId, documentId, deletedMs }) =>
    JSON.stringify([tenantId, organizationId, documentId, deletedMs]),
});

/**
 * The jobs for deleted organizations and for deleted documents. They differ in name because workers of version
 * 0.2.0 delete the judgments of the whole organization in every job named `memory.forget`.
 */
const deleteJudgmentsJob = deletionJob('memory.forget');
const markJudgmentsJob = deletionJob('memory.mark-deleted');

/** The most judgments that one transaction deletes or marks, so that none takes long. */
const BATCH_SIZE = 1_000;

/**
 * Deletes the judgments of an organization, or marks those of a document, batch by batch. A job that runs
 * again continues with the remaining judgments.
 */
export const judgmentDeletionHandlers = [deleteJudgmentsJob, markJudgmentsJob].map((job) =>
  handleJob(job, async ({ db }: Services, { deletedMs, ...place }, signal) => {
    const { tenantId, documentId } = place;
    const andUnmarked = documentId === undefined ? empty : sql`AND document_deleted_ms IS NULL`;
    const isInBatch = sql`record_id = ANY(ARRAY(
      SELECT record_id FROM memory_judgments
      WHERE ${hasFields(tenantId, place)} AND recorded_ms <= ${deletedMs}::bigint ${andUnmarked}
      LIMIT ${BATCH_SIZE}))`;
    const deleteBatch = async (tx: Transaction) =>
      (await deleteJudgments(tx, tenantId, isInBatch)).recordIds;
    const runBatch = () =>
      documentId === undefined
        ? db.transaction(deleteBatch)
        : db.query(sql`
            UPDATE memory_judgments SET document_deleted_ms = ${deletedMs}::bigint
            WHERE tenant_id = ${tenantId} AND ${isInBatch} RETURNING 1`);
    while ((await runBatch()).length === BATCH_SIZE) signal.throwIfAborted();
  }),
);
