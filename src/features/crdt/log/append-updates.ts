import { type Database, sql, type Transaction } from '../../../platform/database/database.ts';
import type { EventLog } from '../../../platform/events/event-log.ts';
import type { LiveDocumentName } from '../../../platform/live-documents.ts';
import type { EditorContent } from '../present-editor.ts';
import { updateEvent } from '../update-event.ts';
import { columnsOf } from './editor-name.ts';
import { eventPlan } from './event-plan.ts';

/** Updates for the log of one editor. */
export interface Append {
  name: LiveDocumentName;
  /** The log that the updates continue; undefined when they may begin one. */
  logId: string | undefined;
  updates: Array<{ update: Uint8Array; userId: string | undefined }>;
  /** The version that the updates must follow, if they depend on it. */
  after?: string | undefined;
  /** The content that the updates lead to, for the event. Without it a due event is told later. */
  content: EditorContent | undefined;
}

export interface Appended {
  logId: string;
  /** That of the last update. */
  version: number;
  /** When the last event was written. */
  eventAt: Date | null;
}

interface LockedRow {
  position: number;
  logId: string;
  version: string;
  folderId: string | null;
  eventAt: Date | null;
  eventDueAt: Date | null;
}

interface Step {
  append: Append;
  row: LockedRow;
  plan: ReturnType<typeof eventPlan>;
}

interface Parts {
  db: Database;
  events: EventLog;
}

/**
 * Commits the updates of any number of editors in one transaction, with the events that are due:
 * three statements, a fourth when an editor is new, and one for each tenant that is told of.
 *
 * Gives nothing for an editor that is gone, or was made anew since its log was opened: its updates
 * belong to content that no longer exists, and are dropped. Nor for one that has moved on from the
 * version that its updates must follow.
 */
export function appendUpdates(
  { db, events }: Parts,
  appends: readonly Append[],
  now: Date,
): Promise<Array<Appended | undefined>> {
  return db.transaction(async (tx) => {
    await createMissing(tx, appends, now);
    const rows = await lockRows(tx, appends);
    const steps = rows.flatMap((row): Step[] => {
      const append = appends[row.position - 1];
      return append
        ? [{ append, row, plan: eventPlan(row, append.content !== undefined, now) }]
        : [];
    });
    await writeUpdates(tx, steps, now);
    await tellUpdates(tx, events, steps, now);
    const appended = new Map(
      steps.map(({ append, row, plan }) => {
        const version = Number(row.version) + append.updates.length;
        return [append, { logId: row.logId, version, eventAt: plan.eventAt }];
      }),
    );
    return appends.map((append) => appended.get(append));
  });
}

/** A document that is being deleted fails the foreign key; the transaction then runs again. */
async function createMissing(
  tx: Transaction,
  appends: readonly Append[],
  now: Date,
): Promise<void> {
  const names = appends.filter(({ logId }) => logId === undefined).map(({ name }) => name);
  if (names.length === 0) return;
  const columns = columnsOf(names);
  await tx.query(sql`
    INSERT INTO crdt_documents
      (tenant_id, organization_id, document_id, editor_id, log_id, updated_at)
    SELECT tenant_id, organization_id, document_id, editor_id, gen_random_uuid(), ${now}::timestamptz
    FROM unnest(${columns.tenantIds}::text[], ${columns.organizationIds}::text[],
                ${columns.documentIds}::text[], ${columns.editorIds}::text[])
           AS input(tenant_id, organization_id, document_id, editor_id)
    JOIN documents USING (tenant_id, organization_id, document_id)
    ORDER BY tenant_id, organization_id, document_id, editor_id
    ON CONFLICT DO NOTHING`);
}

/** In the order of ids, so that two processes with the same editors cannot wait for each other. */
function lockRows(tx: Transaction, appends: readonly Append[]): Promise<LockedRow[]> {
  const columns = columnsOf(appends.map(({ name }) => name));
  const logIds = appends.map(({ logId }) => logId ?? null);
  const afters = appends.map(({ after }) => after ?? null);
  return tx.query<LockedRow>(sql`
    SELECT input.position::int, c.log_id AS "logId", c.version::text, d.folder_id AS "folderId",
           c.event_at AS "eventAt", c.event_due_at AS "eventDueAt"
    FROM unnest(${columns.tenantIds}::text[], ${columns.organizationIds}::text[],
                ${columns.documentIds}::text[], ${columns.editorIds}::text[], ${logIds}::uuid[],
                ${afters}::bigint[])
           WITH ORDINALITY
           AS input(tenant_id, organization_id, document_id, editor_id, log_id, after, position)
    JOIN crdt_documents c USING (tenant_id, organization_id, document_id, editor_id)
    JOIN documents d USING (tenant_id, organization_id, document_id)
    WHERE (input.log_id IS NULL OR input.log_id = c.log_id)
      AND (input.after IS NULL OR input.after = c.version)
    ORDER BY tenant_id, organization_id, document_id, editor_id
    FOR NO KEY UPDATE OF c`);
}

async function writeUpdates(tx: Transaction, steps: readonly Step[], now: Date): Promise<void> {
  if (steps.length === 0) return;
  const rows = steps.flatMap(({ append, row }) =>
    append.updates.map(({ update, userId }, at) => ({
      tenantId: append.name.tenantId,
      logId: row.logId,
      version: String(BigInt(row.version) + BigInt(at + 1)),
      update: Buffer.from(update),
      userId: userId ?? null,
    })),
  );
  await tx.query(sql`
    WITH advanced AS (
      UPDATE crdt_documents c
      SET version = c.version + s.count, updated_at = ${now}::timestamptz, updated_by = s.user_id,
          event_at = s.event_at, event_due_at = s.event_due_at
      FROM unnest(${steps.map((step) => step.append.name.tenantId)}::text[],
                  ${steps.map((step) => step.row.logId)}::uuid[],
                  ${steps.map((step) => step.append.updates.length)}::int[],
                  ${steps.map((step) => lastUser(step.append))}::text[],
                  ${steps.map((step) => step.plan.eventAt)}::timestamptz[],
                  ${steps.map((step) => step.plan.eventDueAt)}::timestamptz[])
             AS s(tenant_id, log_id, count, user_id, event_at, event_due_at)
      WHERE c.tenant_id = s.tenant_id AND c.log_id = s.log_id
    )
    INSERT INTO crdt_updates (tenant_id, log_id, version, update, user_id, created_at)
    SELECT tenant_id, log_id, version, update, user_id, ${now}::timestamptz
    FROM unnest(${rows.map((row) => row.tenantId)}::text[], ${rows.map((row) => row.logId)}::uuid[],
                ${rows.map((row) => row.version)}::bigint[], ${rows.map((row) => row.update)}::bytea[],
                ${rows.map((row) => row.userId)}::text[])
           AS row(tenant_id, log_id, version, update, user_id)`);
}

const lastUser = ({ updates }: Append): string | null => updates.at(-1)?.userId ?? null;

async function tellUpdates(
  tx: Transaction,
  events: EventLog,
  steps: readonly Step[],
  now: Date,
): Promise<void> {
  const told = steps.filter(({ plan }) => plan.tell);
  for (const [tenantId, own] of Map.groupBy(told, ({ append }) => append.name.tenantId)) {
    const newEvents = own.flatMap(({ append, row }) => {
      const { name, content, updates } = append;
      const version = Number(row.version) + updates.length;
      const facts = {
        folderId: row.folderId,
        version,
        updatedAt: now,
        updatedBy: lastUser(append),
      };
      return content ? [updateEvent(name, facts, content)] : [];
    });
    await events.append(tx, tenantId, newEvents);
  }
}
