import type { Clock } from '../../../platform/clock.ts';
import {
  type Database,
  empty,
  sql,
  type Transaction,
} from '../../../platform/database/database.ts';
import type { EventLog } from '../../../platform/events/event-log.ts';
import type { LiveDocumentName } from '../../../platform/live-documents.ts';
import type { EditorContent } from '../present-editor.ts';
import { updateEvent } from '../update-event.ts';
import { createMissing } from './create-missing.ts';
import { columnsOf } from './editor-name.ts';
import { eventPlan } from './event-plan.ts';
import { newestUpdate, newestVersion } from './newest-update.ts';
import { notifyAppend } from './notify-append.ts';
import { frameUpdate } from './update-framing.ts';

/** A row of this size takes no more updates, since every write leaves a dead copy of the row. */
const MAX_ROW_BYTES = 900;

/** An update to be appended to the log of one editor. */
export interface Append {
  name: LiveDocumentName;
  /** The log to append to; undefined when the update may begin one. */
  logId: string | undefined;
  update: Uint8Array;
  /** How many updates were merged into this one; the version grows by as many. */
  count: number;
  /** The author of the last of these updates. */
  userId: string | undefined;
  /** The version that the update must directly follow; undefined: any. */
  after?: string | undefined;
  /** For a replacement of the whole content: the version that the new content was compared with. */
  replaces?: number | undefined;
  /** The users of Yjs clients that write to this editor for the first time. */
  claims?: ReadonlyMap<number, string> | undefined;
  /** The content after this update, for the event. Without it a due event is published later. */
  content: EditorContent | undefined;
}

export interface Appended {
  logId: string;
  version: number;
  /** When the last event was written. */
  eventAt: Date | null;
}

/**
 * The reason why an update was refused. `gone`: the editor was deleted, or created again since its
 * log was opened. `overtaken`: the editor is not at the version that the update must follow, or its
 * content was replaced since the version that the update was compared with.
 */
export type Rejection = 'gone' | 'overtaken' | ForeignClients;

/** The update was refused because these users claim Yjs clients that belong to others. */
interface ForeignClients {
  claimedBy: readonly string[];
}

interface LockedRow {
  position: number;
  logId: string;
  folderId: string | null;
  eventAt: Date | null;
  eventDueAt: Date | null;
}

interface Pair {
  append: Append;
  row: LockedRow;
}

interface Written {
  logId: string;
  version: number | null;
  /** The users who claim Yjs clients of others. */
  claimedBy: string[];
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
 * two statements, a third when an editor is new, one more when an event is published or becomes due, and
 * one for each tenant with events. An update that cannot be stored is left out, and its reason returned.
 */
export async function appendUpdates(
  parts: Parts,
  appends: readonly Append[],
): Promise<Array<Appended | Rejection>> {
  try {
    return await parts.db.transaction((tx) => appendIn(tx, parts, appends));
  } catch (error) {
    if (error instanceof NothingAppended) return error.outcomes;
    throw error;
  }
}

/** Rolls the transaction back at once, so that no editor stays locked in a longer outer transaction. */
class NothingAppended extends Error {
  readonly outcomes: Rejection[];

  constructor(outcomes: Rejection[]) {
    super('None of the updates can be taken.');
    this.outcomes = outcomes;
  }
}

async function appendIn(
  tx: Transaction,
  { db, events, clock }: Parts,
  appends: readonly Append[],
): Promise<Array<Appended | Rejection>> {
  const unknown = appends.filter(({ logId }) => logId === undefined);
  const names = unknown.map(({ name }) => name);
  await createMissing(tx, names, new Date(clock.now()));
  const pairs = pairsOf(appends, await lockRows(tx, appends));
  // Take the time after acquiring the locks.
  const now = new Date(clock.now());
  const written = pairs.length > 0 ? await writeUpdates(tx, db, pairs, now) : [];
  const steps = stepsOf(pairs, written, now);
  const rejections = new Map(pairs.map(({ append, row }) => [append, rejectionOf(row, written)]));
  if (steps.length === 0) {
    throw new NothingAppended(appends.map((append) => rejections.get(append) ?? 'gone'));
  }
  await publishUpdates(tx, events, steps, now);
  const outcomes = new Map<Append, Appended | Rejection>(rejections);
  for (const { append, row, version, plan } of steps) {
    outcomes.set(append, { logId: row.logId, version, eventAt: plan.eventAt });
  }
  return appends.map((append) => outcomes.get(append) ?? 'gone');
}

function rejectionOf({ logId }: LockedRow, written: readonly Written[]): Rejection {
  const claimedBy = written.find((one) => one.logId === logId)?.claimedBy ?? [];
  return claimedBy.length > 0 ? { claimedBy } : 'overtaken';
}

function pairsOf(appends: readonly Append[], locked: readonly LockedRow[]): Pair[] {
  const pairs = locked.flatMap((row) => {
    const append = appends[row.position - 1];
    return append ? [{ append, row }] : [];
  });
  if (new Set(pairs.map(({ row }) => row.logId)).size < pairs.length) {
    // PostgreSQL would update a row for only one of two inputs.
    throw new Error('Updates of one editor go into its log one by one.');
  }
  return pairs;
}

function stepsOf(pairs: readonly Pair[], written: readonly Written[], now: Date): Step[] {
  const versions = new Map(written.map(({ logId, version }) => [logId, version]));
  return pairs.flatMap(({ append, row }): Step[] => {
    const version = versions.get(row.logId) ?? null;
    const plan = eventPlan(row, append.content !== undefined, now);
    return version === null ? [] : [{ append, row, version, plan }];
  });
}

/**
 * Locks rows in the order of their ids, so that two processes cannot deadlock. The holder of the lock
 * assigns the next version, but a later statement reads it, since this one may have waited.
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
 * Adds an update to the last row of its editor's log while that row is small: a row for each update,
 * with its index entry, would be several times as large as the typed text.
 */
function writeUpdates(
  tx: Transaction,
  db: Database,
  pairs: readonly Pair[],
  now: Date,
): Promise<Written[]> {
  const { claims, claimedBy, claimed } = claimsOf(pairs);
  return tx.query<Written>(sql`
    WITH ${claims} incoming AS MATERIALIZED (
      SELECT c.tenant_id, c.log_id, newest.first_version, ${newestVersion} AS known,
             ${newestVersion} + input.count AS version, input.updates, input.user_id,
             input.replaces IS NOT NULL AS replaces, ${claimedBy} AS claimed_by,
             coalesce(input.after <> ${newestVersion}, false)
               OR coalesce(input.replaces < c.replaced_version, false) AS is_overtaken,
             coalesce(newest.bytes + octet_length(input.updates) <= ${MAX_ROW_BYTES}, false) AS fits
      FROM unnest(${pairs.map(({ append }) => append.name.tenantId)}::text[],
                ${pairs.map(({ row }) => row.logId)}::uuid[],
                ${pairs.map(({ append }) => append.count)}::int[],
                ${pairs.map(({ append }) => frameUpdate(append.update))}::bytea[],
                ${pairs.map(({ append }) => append.userId ?? null)}::text[],
                ${pairs.map(({ append }) => append.after ?? null)}::bigint[],
                ${pairs.map(({ append }) => append.replaces ?? null)}::bigint[])
           AS input(tenant_id, log_id, count, updates, user_id, after, replaces)
      JOIN crdt_documents c USING (tenant_id, log_id) ${newestUpdate}
    ), taken AS MATERIALIZED (
      SELECT * FROM incoming WHERE claimed_by = '{}' AND NOT is_overtaken
    ), ${claimed} replaced AS (
      UPDATE crdt_documents c SET replaced_version = taken.version
      FROM taken
      WHERE taken.replaces AND c.tenant_id = taken.tenant_id AND c.log_id = taken.log_id
    ), added AS (
      UPDATE crdt_updates u
      SET version = taken.version, created_at = ${now}::timestamptz, user_id = taken.user_id,
          updates = taken.updates || u.updates
      FROM taken
      WHERE taken.fits AND u.tenant_id = taken.tenant_id AND u.log_id = taken.log_id
        AND u.first_version = taken.first_version
      RETURNING u.log_id, u.version
    ), begun AS (
      INSERT INTO crdt_updates
        (tenant_id, log_id, first_version, version, created_at, user_id, updates)
      SELECT tenant_id, log_id, known + 1, version, ${now}::timestamptz, user_id, updates
      FROM taken WHERE NOT fits
      RETURNING log_id, version
    )
    SELECT log_id AS "logId", version::float8 AS version, '{}'::text[] AS "claimedBy",
           ${notifyAppend(db, sql`log_id`)} AS notified
    FROM (SELECT * FROM added UNION ALL SELECT * FROM begun) written
    UNION ALL SELECT log_id, NULL, claimed_by, NULL FROM incoming
    WHERE claimed_by <> '{}' OR is_overtaken`);
}

/** Returns the parts of the statement that check and store client claims; most updates claim none. */
function claimsOf(pairs: readonly Pair[]) {
  const all = pairs.flatMap(({ append, row }) =>
    [...(append.claims ?? [])].map(([client, userId]) => ({ append, row, client, userId })),
  );
  if (all.length === 0) return { claims: empty, claimedBy: sql`'{}'::text[]`, claimed: empty };
  const claims = sql`claims AS MATERIALIZED (
      SELECT * FROM unnest(${all.map(({ append }) => append.name.tenantId)}::text[],
                           ${all.map(({ row }) => row.logId)}::uuid[],
                           ${all.map(({ client }) => client)}::bigint[],
                           ${all.map(({ userId }) => userId)}::text[])
             AS claim(tenant_id, log_id, client_id, user_id)
    ),`;
  const claimedBy = sql`ARRAY(
      SELECT DISTINCT claims.user_id FROM claims JOIN crdt_clients o USING (tenant_id, log_id, client_id)
      WHERE claims.tenant_id = c.tenant_id AND claims.log_id = c.log_id
        AND claims.user_id <> o.user_id)`;
  const claimed = sql`claimed AS (
      INSERT INTO crdt_clients (tenant_id, log_id, client_id, user_id)
      SELECT tenant_id, log_id, client_id, claims.user_id
      FROM claims JOIN taken USING (tenant_id, log_id)
      ON CONFLICT DO NOTHING
    ),`;
  return { claims, claimedBy, claimed };
}

async function publishUpdates(
  tx: Transaction,
  events: EventLog,
  steps: readonly Step[],
  now: Date,
): Promise<void> {
  await planEvents(tx, steps);
  const published = steps.filter(({ plan }) => plan.publish);
  for (const [tenantId, own] of Map.groupBy(published, ({ append }) => append.name.tenantId)) {
    const newEvents = own.flatMap(({ append, row, version }) => {
      const { name, content, userId = null } = append;
      const facts = { folderId: row.folderId, version, updatedAt: now, updatedBy: userId };
      return content ? [updateEvent(name, facts, content)] : [];
    });
    await events.append(tx, tenantId, newEvents);
  }
}

/** Stores changed event times. Most commits publish nothing and find an event due already. */
async function planEvents(tx: Transaction, steps: readonly Step[]): Promise<void> {
  const changed = steps.filter(
    ({ row, plan }) => plan.publish || (row.eventDueAt === null && plan.eventDueAt !== null),
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
