import type { Clock } from '../../../platform/clock.ts';
import { type Database, sql, type Transaction } from '../../../platform/database/database.ts';
import type { EventLog } from '../../../platform/events/event-log.ts';
import type { LiveDocumentName } from '../../../platform/live-documents.ts';
import type { EditorContent } from '../present-editor.ts';
import { updateEvent } from '../update-event.ts';
import { columnsOf } from './editor-name.ts';
import { eventPlan } from './event-plan.ts';
import { newestUpdate, newestVersion } from './newest-update.ts';
import { packed } from './packed-updates.ts';

/** A row that holds so much takes no more. Every write leaves an old copy in the page for a while. */
const MAX_ROW_BYTES = 900;

/** What is new in one editor, for its log. */
export interface Append {
  name: LiveDocumentName;
  /** The log that it continues; undefined when it may begin one. */
  logId: string | undefined;
  update: Uint8Array;
  /** How many updates were merged into it; the version grows by as many. */
  count: number;
  /** Whose the last of them was. */
  userId: string | undefined;
  /** The version that it must follow, if it depends on it. */
  after?: string | undefined;
  /** The content that it leads to, for the event. Without it a due event is told later. */
  content: EditorContent | undefined;
}

export interface Appended {
  logId: string;
  version: number;
  /** When the last event was written. */
  eventAt: Date | null;
}

interface LockedRow {
  position: number;
  logId: string;
  folderId: string | null;
  eventAt: Date | null;
  eventDueAt: Date | null;
}

interface Step {
  append: Append;
  row: LockedRow;
  version: number;
  plan: ReturnType<typeof eventPlan>;
}

interface Parts {
  db: Database;
  events: EventLog;
  clock: Clock;
}

/**
 * Commits what is new in any number of editors in one transaction, with the events that are due:
 * two statements, a third when an editor is new, one more when an event is told or becomes due, and
 * one for each tenant that is told of.
 *
 * Gives nothing for an editor that is gone, or was made anew since its log was opened: its updates
 * belong to content that no longer exists, and are dropped. Nor for one that has moved on from the
 * version that its updates must follow.
 */
export function appendUpdates(
  { db, events, clock }: Parts,
  appends: readonly Append[],
): Promise<Array<Appended | undefined>> {
  return db.transaction(async (tx) => {
    await createMissing(tx, appends, new Date(clock.now()));
    const locked = await lockRows(tx, appends);
    // Who waited for a lock is not to tell an event for the time before.
    const now = new Date(clock.now());
    const steps = await writeUpdates(tx, appends, locked, now);
    await tellUpdates(tx, events, steps, now);
    const appended = new Map(
      steps.map(({ append, row, version, plan }) => [
        append,
        { logId: row.logId, version, eventAt: plan.eventAt },
      ]),
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

/**
 * In the order of ids, so that two processes with the same editors cannot wait for each other. Who
 * has the lock gives the next version; another statement reads it, since this one may have waited.
 */
function lockRows(tx: Transaction, appends: readonly Append[]): Promise<LockedRow[]> {
  const columns = columnsOf(appends.map(({ name }) => name));
  const logIds = appends.map(({ logId }) => logId ?? null);
  return tx.query<LockedRow>(sql`
    SELECT input.position::int, c.log_id AS "logId", d.folder_id AS "folderId",
           c.event_at AS "eventAt", c.event_due_at AS "eventDueAt"
    FROM unnest(${columns.tenantIds}::text[], ${columns.organizationIds}::text[],
                ${columns.documentIds}::text[], ${columns.editorIds}::text[], ${logIds}::uuid[])
           WITH ORDINALITY
           AS input(tenant_id, organization_id, document_id, editor_id, log_id, position)
    JOIN crdt_documents c USING (tenant_id, organization_id, document_id, editor_id)
    JOIN documents d USING (tenant_id, organization_id, document_id)
    WHERE input.log_id IS NULL OR input.log_id = c.log_id
    ORDER BY tenant_id, organization_id, document_id, editor_id
    FOR NO KEY UPDATE OF c`);
}

/**
 * An editor's last row takes what is new as long as it stays small: a row of its own, with its place
 * in the index, would take several times what somebody typed.
 */
async function writeUpdates(
  tx: Transaction,
  appends: readonly Append[],
  locked: readonly LockedRow[],
  now: Date,
): Promise<Step[]> {
  const pairs = locked.flatMap((row) => {
    const append = appends[row.position - 1];
    return append ? [{ append, row }] : [];
  });
  if (pairs.length === 0) return [];
  if (new Set(pairs.map(({ row }) => row.logId)).size < pairs.length) {
    // PostgreSQL would change the row for one of them, and pass over the other.
    throw new Error('Updates of one editor go into its log one by one.');
  }
  const written = await tx.query<{ logId: string; version: number }>(sql`
    WITH news AS MATERIALIZED (
      SELECT c.tenant_id, c.log_id, newest.first_version, ${newestVersion} AS known,
             ${newestVersion} + input.count AS version, input.updates, input.user_id,
             coalesce(newest.bytes + octet_length(input.updates) <= ${MAX_ROW_BYTES}, false) AS fits
      FROM unnest(${pairs.map(({ append }) => append.name.tenantId)}::text[],
                ${pairs.map(({ row }) => row.logId)}::uuid[],
                ${pairs.map(({ append }) => append.count)}::int[],
                ${pairs.map(({ append }) => packed(append.update))}::bytea[],
                ${pairs.map(({ append }) => append.userId ?? null)}::text[],
                ${pairs.map(({ append }) => append.after ?? null)}::bigint[])
           AS input(tenant_id, log_id, count, updates, user_id, after)
      JOIN crdt_documents c USING (tenant_id, log_id) ${newestUpdate}
      WHERE input.after IS NULL OR input.after = ${newestVersion}
    ), added AS (
      UPDATE crdt_updates u
      SET version = news.version, created_at = ${now}::timestamptz, user_id = news.user_id,
          updates = news.updates || u.updates
      FROM news
      WHERE news.fits AND u.tenant_id = news.tenant_id AND u.log_id = news.log_id
        AND u.first_version = news.first_version
      RETURNING u.log_id, u.version
    ), begun AS (
      INSERT INTO crdt_updates
        (tenant_id, log_id, first_version, version, created_at, user_id, updates)
      SELECT tenant_id, log_id, known + 1, version, ${now}::timestamptz, user_id, updates
      FROM news WHERE NOT fits
      RETURNING log_id, version
    )
    SELECT log_id AS "logId", version::float8 AS version FROM added
    UNION ALL SELECT log_id, version::float8 FROM begun`);
  const versions = new Map(written.map(({ logId, version }) => [logId, version]));
  return pairs.flatMap(({ append, row }): Step[] => {
    const version = versions.get(row.logId);
    const plan = eventPlan(row, append.content !== undefined, now);
    return version === undefined ? [] : [{ append, row, version, plan }];
  });
}

async function tellUpdates(
  tx: Transaction,
  events: EventLog,
  steps: readonly Step[],
  now: Date,
): Promise<void> {
  await planEvents(tx, steps);
  const told = steps.filter(({ plan }) => plan.tell);
  for (const [tenantId, own] of Map.groupBy(told, ({ append }) => append.name.tenantId)) {
    const newEvents = own.flatMap(({ append, row, version }) => {
      const { name, content, userId = null } = append;
      const facts = { folderId: row.folderId, version, updatedAt: now, updatedBy: userId };
      return content ? [updateEvent(name, facts, content)] : [];
    });
    await events.append(tx, tenantId, newEvents);
  }
}

/** Of most commits nothing is to be told, and an event is due already. */
async function planEvents(tx: Transaction, steps: readonly Step[]): Promise<void> {
  const changed = steps.filter(
    ({ row, plan }) => plan.tell || (row.eventDueAt === null && plan.eventDueAt !== null),
  );
  if (changed.length === 0) return;
  await tx.query(sql`
    UPDATE crdt_documents c SET event_at = s.event_at, event_due_at = s.event_due_at
    FROM unnest(${changed.map(({ append }) => append.name.tenantId)}::text[],
                ${changed.map(({ row }) => row.logId)}::uuid[],
                ${changed.map(({ plan }) => plan.eventAt)}::timestamptz[],
                ${changed.map(({ plan }) => plan.eventDueAt)}::timestamptz[])
           AS s(tenant_id, log_id, event_at, event_due_at)
    WHERE c.tenant_id = s.tenant_id AND c.log_id = s.log_id`);
}
