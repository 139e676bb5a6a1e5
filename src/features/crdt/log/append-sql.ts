import type { Services } from '../../../api/context.ts';
import { empty, type Sql, sql } from '../../../platform/database/database.ts';
import { newId } from '../../../platform/ids.ts';
import type { Append } from './append-types.ts';
import { editorInput } from './logs.ts';
import { newestUpdate, newestVersion, updatedAt } from './newest-update.ts';
import { notifyAppend } from './notify-append.ts';
import { frameUpdates } from './update-framing.ts';

/** The shortest time between two events of one editor. */
export const EVENT_INTERVAL_MS = 5_000;

/** Updates are added to a row up to this size only, since every write leaves a dead copy of the row. */
const MAX_ROW_BYTES = 900;

/**
 * SQL for the start of the ten seconds that a time belongs to. All updates of a row are from the same ten
 * seconds, so content can be restored to a moment with this precision.
 */
const windowOf = (time: Sql): Sql => sql`date_bin('10 seconds', ${time}, 'epoch')`;

/** What `updateInsertion` did with one update. An update of an editor that does not exist gets no result. */
export interface AppendResult {
  /** The index of the update in the request. */
  position: number;
  logId: string;
  /** Null for a refused update. */
  version: number | null;
  /** Whether the event of the update was published. */
  isPublished: boolean;
  /** When the last event of the editor was published. */
  eventAt: Date | null;
  /** The users who claim a Yjs client of somebody else. If there are any, the update is refused. */
  claimedBy: string[];
}

/**
 * SQL that locks editors in the order of their ids, so that two processes cannot deadlock, and returns the
 * logs of the editors that exist. A later statement must read their last versions: if this one has waited for
 * a lock, it does not see the versions that were committed meanwhile.
 */
export const editorLock = (appends: ReadonlyArray<Pick<Append, 'name' | 'logId'>>): Sql => sql`
  SELECT c.log_id AS "logId" FROM ${inputWithLogs(appends)}
  JOIN crdt_documents c USING (tenant_id, organization_id, document_id, editor_id)
  WHERE input.log_id IS NULL OR input.log_id = c.log_id
  ORDER BY tenant_id, organization_id, document_id, editor_id
  FOR NO KEY UPDATE OF c`;

const inputWithLogs = (appends: ReadonlyArray<Pick<Append, 'name' | 'logId'>>, more = {}): Sql =>
  editorInput(
    appends.map(({ name }) => name),
    { log_id: sql`${appends.map(({ logId }) => logId ?? null)}::uuid[]`, ...more },
  );

/**
 * SQL that appends updates to the logs of locked editors, publishes the events that are due now, and
 * decides when the others are due. The last state is always published: by a later commit, or in the
 * background (deferred-events.ts).
 */
export function updateInsertion(
  { db, events }: Pick<Services, 'db' | 'events'>,
  appends: readonly Append[],
  now: Date,
): Sql {
  const { claims, claimedBy, claimInsertion } = claimsOf(appends);
  return sql`
    WITH ${claims} incoming AS MATERIALIZED (${incomingUpdates(appends, now, claimedBy)}),
    accepted AS MATERIALIZED (
      SELECT * FROM incoming WHERE claimed_by = '{}' AND NOT is_overtaken
    ), ${claimInsertion}
    changed_editors AS (${editorChange(now)}),
    extended AS (${rowExtension}),
    inserted AS (${rowInsertion}),
    published AS (${events.insertionOf(sql`tenant_id`, eventsOfAccepted)})
    SELECT position, log_id AS "logId", version::float8 AS version, publishes AS "isPublished",
           CASE WHEN publishes THEN ${now} ELSE event_at END AS "eventAt",
           claimed_by AS "claimedBy", ${notifyAppend(db, sql`log_id`)} AS notified
    FROM (SELECT * FROM extended UNION ALL SELECT * FROM inserted) appended JOIN accepted USING (log_id)
    UNION ALL
    SELECT position, log_id, NULL, false, event_at, claimed_by, NULL FROM incoming
    WHERE claimed_by <> '{}' OR is_overtaken`;
}

const eventInterval = sql`${EVENT_INTERVAL_MS}::int * interval '1 millisecond'`;

/**
 * SQL for the updates whose editors exist, with the state of the editor `c` before each update. Only
 * replacements have `conflictsWith`.
 */
function incomingUpdates(appends: readonly Append[], now: Date, claimedBy: Sql): Sql {
  // All frames are sent as one bytea: a bytea[] would be sent as text, twice as long.
  const frames = appends.map(({ updates }) => frameUpdates(updates));
  // No update is older than the one before it, even if the clocks of processes differ.
  const appendedAt = sql`greatest(${now}::timestamptz, ${updatedAt})`;
  return sql`
    SELECT input.position::int - 1 AS position, c.tenant_id, c.organization_id, c.document_id,
           c.editor_id, c.log_id, d.folder_id, c.event_at,
           newest.first_version, ${newestVersion} AS last_version, ${newestVersion} + input.count AS version,
           substr(sent.updates, input.starts_at, input.bytes) AS updates, input.user_id,
           ${appendedAt} AS at,
           input.event_id, input.content, input.content_type,
           input.conflicts_with IS NOT NULL AS replaces, ${claimedBy} AS claimed_by,
           CASE input.conflicts_with WHEN 'anything' THEN input.base_version <> ${newestVersion}
             WHEN 'replacements' THEN input.base_version < c.replaced_version
             ELSE false END AS is_overtaken,
           coalesce(newest.bytes + input.bytes <= ${MAX_ROW_BYTES}
             AND ${windowOf(sql`newest.created_at`)} = ${windowOf(appendedAt)},
             false) AS fits_last_row,
           input.content IS NOT NULL AND input.base_version = ${newestVersion}
             AND coalesce(c.event_at + ${eventInterval} <= ${now}, true) AS publishes
    FROM ${inputWithLogs(appends, columnsOfUpdates(appends, frames))}
    CROSS JOIN (SELECT ${Buffer.concat(frames)}::bytea AS updates) AS sent
    JOIN crdt_documents c USING (tenant_id, organization_id, document_id, editor_id)
    JOIN documents d USING (tenant_id, organization_id, document_id)
    ${newestUpdate}
    WHERE input.log_id IS NULL OR input.log_id = c.log_id`;
}

/**
 * SQL that stores when an editor's last event was published or its next one is due, and the version of a
 * replacement. If the due time is more than one interval ahead, the clock was set back after it was stored,
 * so it is replaced.
 */
const editorChange = (now: Date): Sql => sql`
  UPDATE crdt_documents c
  SET replaced_version = CASE WHEN accepted.replaces THEN accepted.version ELSE c.replaced_version END,
      event_at = CASE WHEN accepted.publishes THEN ${now} ELSE c.event_at END,
      event_due_at = CASE WHEN accepted.publishes THEN NULL
                     ELSE least(coalesce(c.event_due_at, greatest(c.event_at + ${eventInterval}, ${now})),
                                ${now}::timestamptz + ${eventInterval}) END
  FROM accepted
  WHERE (accepted.replaces OR accepted.publishes OR c.event_due_at IS NULL
         OR c.event_due_at > ${now}::timestamptz + ${eventInterval})
    AND c.tenant_id = accepted.tenant_id AND c.log_id = accepted.log_id`;

/**
 * SQL that adds an update to the last row of its editor's log while that row is small, in front of the updates
 * in it. A row for each update, with its index entry, would be several times as large as the typed text.
 */
const rowExtension = sql`
  UPDATE crdt_updates u
  SET version = accepted.version, created_at = accepted.at, user_id = accepted.user_id,
      updates = accepted.updates || u.updates
  FROM accepted
  WHERE accepted.fits_last_row AND u.tenant_id = accepted.tenant_id AND u.log_id = accepted.log_id
    AND u.first_version = accepted.first_version
  RETURNING u.log_id`;

const rowInsertion = sql`
  INSERT INTO crdt_updates
    (tenant_id, log_id, first_version, version, created_at, user_id, updates)
  SELECT tenant_id, log_id, last_version + 1, version, at, user_id, updates
  FROM accepted WHERE NOT fits_last_row
  RETURNING log_id`;

/** SQL for the events of updates that publish one, as `updateEvent` builds them. */
const eventsOfAccepted = sql`
  SELECT tenant_id, event_id AS id, 'crdt.update_data' AS type, organization_id, document_id,
         array_remove(ARRAY['organization:' || organization_id, 'document:' || document_id,
                            'folder:' || folder_id, 'user:' || user_id], NULL) AS channels,
         json_build_object('id', editor_id, 'data', content::json, 'type', content_type,
           'version', version, 'lastUpdate', (extract(epoch FROM at) * 1000)::bigint,
           'lastUpdatedBy', user_id) AS data
  FROM accepted WHERE publishes ORDER BY position`;

/** SQL arrays for the columns of `input` that describe the updates. */
const columnsOfUpdates = (appends: readonly Append[], frames: readonly Buffer[]) => ({
  count: sql`${appends.map(({ count }) => count)}::int[]`,
  starts_at: sql`${startsOf(frames)}::int[]`,
  bytes: sql`${frames.map(({ length }) => length)}::int[]`,
  user_id: sql`${appends.map(({ userId }) => userId ?? null)}::text[]`,
  base_version: sql`${appends.map(({ baseVersion }) => baseVersion)}::bigint[]`,
  conflicts_with: sql`${appends.map(({ conflictsWith }) => conflictsWith ?? null)}::text[]`,
  event_id: sql`${appends.map(({ content }) => (content ? newId() : null))}::text[]`,
  content: sql`${appends.map(({ content }) => content?.json ?? null)}::text[]`,
  content_type: sql`${appends.map(({ content }) => content?.type ?? null)}::text[]`,
});

/** Returns where each frame begins in the concatenated frames, counted from 1. */
function startsOf(frames: readonly Buffer[]): number[] {
  let next = 1;
  return frames.map(({ length }) => {
    const start = next;
    next += length;
    return start;
  });
}

/** Returns the parts of the statement that check and store client claims; most updates claim none. */
function claimsOf(appends: readonly Append[]) {
  const list = appends.flatMap(({ claims }, position) =>
    [...(claims ?? [])].map(([client, userId]) => ({ position, client, userId })),
  );
  if (list.length === 0)
    return { claims: empty, claimedBy: sql`'{}'::text[]`, claimInsertion: empty };
  const claims = sql`claims AS MATERIALIZED (
      SELECT * FROM unnest(${list.map(({ position }) => position)}::int[],
                           ${list.map(({ client }) => client)}::bigint[],
                           ${list.map(({ userId }) => userId)}::text[])
             AS claim(position, client_id, user_id)
    ),`;
  const claimedBy = sql`ARRAY(
      SELECT DISTINCT claims.user_id FROM claims JOIN crdt_clients o USING (client_id)
      WHERE claims.position = input.position::int - 1
        AND o.tenant_id = c.tenant_id AND o.log_id = c.log_id AND claims.user_id <> o.user_id)`;
  const claimInsertion = sql`claimed AS (
      INSERT INTO crdt_clients (tenant_id, log_id, client_id, user_id)
      SELECT tenant_id, log_id, client_id, claims.user_id
      FROM claims JOIN accepted USING (position)
      ON CONFLICT DO NOTHING
    ),`;
  return { claims, claimedBy, claimInsertion };
}
