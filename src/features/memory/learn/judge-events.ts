import { z } from 'zod';
import type { Services } from '../../../api/context.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import type { EventReader } from '../../../platform/events/event-reader.ts';
import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import { handleJob, type Job } from '../../../platform/jobs/job.ts';
import {
  deleteJudgments,
  insertJudgments,
  type StoredJudgment,
} from '../judgments/store-judgments.ts';
import {
  annotationHiddenBy,
  DECIDING_EVENTS,
  judgmentOf,
  VISIBILITY_EVENT,
} from './judgment-of.ts';

/**
 * Makes a judgment of every decision about an annotation or a suggestion. Deletes the judgments of
 * annotations that some readers of the document may no longer see, and those of deleted organizations.
 * Those of deleted annotations and documents stay as precedents of their organization. The latter are
 * marked, so that readers of another document with the same id do not find them.
 */
export const judgmentReader: EventReader<Services> = {
  name: 'memory',
  types: [...DECIDING_EVENTS, VISIBILITY_EVENT, 'document.delete', 'organization.delete'],
  async handle({ clock, jobs }, tx, events, isLate = false) {
    for (const [tenantId, own] of byTenant(events)) {
      const { judgments, hiddenIds, deletions } = learnFrom(own);
      if (hiddenIds.length > 0) {
        await deleteJudgments(tx, tenantId, sql`annotation_id = ANY(${hiddenIds})`);
      }
      const current = isLate ? await ofOpenAnnotations(tx, tenantId, judgments) : judgments;
      await insertJudgments(tx, tenantId, current, clock.now());
      await jobs.add(tx, markJob, await judgedAmong(tx, tenantId, deletions));
    }
    await jobs.add(tx, forgetJob, events.flatMap(deletionOf));
  },
};

/**
 * Returns the judgments of events, in order, the annotations whose earlier judgments are deleted, and
 * the deleted documents.
 */
function learnFrom(events: LoggedEvent[]) {
  let judgments: StoredJudgment[] = [];
  const hiddenIds: string[] = [];
  const deletions: DocumentDeletion[] = [];
  for (const event of events) {
    const judgment = judgmentOf(event);
    if (judgment) judgments.push(judgment);
    const hidden = annotationHiddenBy(event);
    if (hidden !== undefined) {
      judgments = judgments.filter(({ annotationId }) => annotationId !== hidden);
      hiddenIds.push(hidden);
    }
    const { type, tenantId, organizationId, documentId, createdAt } = event;
    if (type === 'document.delete' && organizationId !== null && documentId !== null) {
      deletions.push({ tenantId, organizationId, documentId, deletedMs: createdAt.getTime() });
    }
  }
  return { judgments, hiddenIds, deletions };
}

/**
 * Returns the judgments of annotations that still exist and that all readers of the document see. An
 * event that is handled late needs this, since the later events that hid or deleted the annotation, its
 * document or its organization were handled already. An annotation that was created after the decision
 * is another one with the same id.
 */
async function ofOpenAnnotations(
  tx: Transaction,
  tenantId: string,
  judgments: StoredJudgment[],
): Promise<StoredJudgment[]> {
  const open = await tx.query<{ recordId: string }>(sql`
    SELECT "recordId"
    FROM jsonb_to_recordset(${JSON.stringify(judgments)}::jsonb) AS judgment(
      "recordId" text, "annotationId" text, "recordedMs" bigint)
    JOIN comment_annotations a ON a.tenant_id = ${tenantId} AND a.annotation_id = "annotationId"
    WHERE a.created_at <= "recordedMs" AND a.visibility->>'type' = 'public' AND a.access IS NULL`);
  const openIds = new Set(open.map(({ recordId }) => recordId));
  return judgments.filter(({ recordId }) => openIds.has(recordId));
}

/** Returns the deletions of documents about which there are judgments. */
async function judgedAmong(
  tx: Transaction,
  tenantId: string,
  deletions: DocumentDeletion[],
): Promise<DocumentDeletion[]> {
  if (deletions.length === 0) return [];
  return tx.query<DocumentDeletion>(sql`
    SELECT ${tenantId}::text AS "tenantId", "organizationId", "documentId", "deletedMs"
    FROM jsonb_to_recordset(${JSON.stringify(deletions)}::jsonb) AS deleted(
      "organizationId" text, "documentId" text, "deletedMs" float8)
    WHERE EXISTS (
      SELECT 1 FROM memory_judgments
      WHERE tenant_id = ${tenantId} AND organization_id = "organizationId"
        AND document_id = "documentId")`);
}

/** Sorts tenants by id, so that readers lock the rows of several tenants in one order. */
const byTenant = (events: LoggedEvent[]): Array<[tenantId: string, events: LoggedEvent[]]> =>
  [...Map.groupBy(events, ({ tenantId }) => tenantId)].sort(([a], [b]) => (a < b ? -1 : 1));

const deletionOf = ({ type, tenantId, organizationId, createdAt }: LoggedEvent) =>
  type === 'organization.delete' && organizationId !== null
    ? [{ tenantId, organizationId, deletedMs: createdAt.getTime() }]
    : [];

const deletion = z.object({
  tenantId: z.string(),
  organizationId: z.string(),
  /** Later judgments belong to a new organization or document with the same id. */
  deletedMs: z.number(),
});

const documentDeletion = deletion.extend({ documentId: z.string() });
type DocumentDeletion = z.infer<typeof documentDeletion>;

/** Deletes the judgments of a deleted organization. */
const forgetJob: Job<z.infer<typeof deletion>> = {
  name: 'memory.forget',
  payload: deletion,
  keyOf: ({ tenantId, organizationId, deletedMs }) =>
    JSON.stringify([tenantId, organizationId, deletedMs]),
};

/** Marks the judgments of a deleted document. */
const markJob: Job<DocumentDeletion> = {
  name: 'memory.mark-deleted',
  payload: documentDeletion,
  keyOf: ({ tenantId, organizationId, documentId, deletedMs }) =>
    JSON.stringify([tenantId, organizationId, documentId, deletedMs]),
};

/** How many judgments one transaction deletes or marks, so that none takes long. */
const STEP = 1_000;

/** Deletes step by step. A job that runs again continues with the remaining judgments. */
export const forgetHandler = handleJob(
  forgetJob,
  async ({ db }: Services, { tenantId, organizationId, deletedMs }, signal) => {
    const some = sql`record_id = ANY(ARRAY(
      SELECT record_id FROM memory_judgments
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND recorded_ms <= ${deletedMs}::bigint
      LIMIT ${STEP}))`;
    const step = () => db.transaction((tx) => deleteJudgments(tx, tenantId, some));
    while ((await step()).recordIds.length === STEP) signal.throwIfAborted();
  },
);

/** Marks step by step. A job that runs again continues with the judgments that are not marked. */
export const markHandler = handleJob(
  markJob,
  async ({ db }: Services, { tenantId, organizationId, documentId, deletedMs }, signal) => {
    const step = () =>
      db.query(sql`
        UPDATE memory_judgments SET document_deleted_ms = ${deletedMs}::bigint
        WHERE tenant_id = ${tenantId} AND record_id = ANY(ARRAY(
          SELECT record_id FROM memory_judgments
          WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
            AND document_id = ${documentId} AND recorded_ms <= ${deletedMs}::bigint
            AND document_deleted_ms IS NULL
          LIMIT ${STEP}))
        RETURNING 1`);
    while ((await step()).length === STEP) signal.throwIfAborted();
  },
);
