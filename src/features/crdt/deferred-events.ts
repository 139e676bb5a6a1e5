import type { Services } from '../../api/context.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import type { LiveDocumentName } from '../../platform/live-documents.ts';
import { attemptAll } from '../../platform/loops/attempt-all.ts';
import { BackgroundLoop, type LoopDependencies } from '../../platform/loops/background-loop.ts';
import { EVENT_INTERVAL_MS } from './log/append-sql.ts';
import { loadStored, type StoredDocument } from './log/load-stored.ts';
import { newestUpdate, newestVersion, updatedAt } from './log/newest-update.ts';
import { updateEvent } from './update-event.ts';
import { runJob } from './worker/run-job.ts';

/** An event contains the whole content, so it is published only once nobody has edited for this long. */
const PAUSE_MS = 2_000;
/** If editing does not pause, the event is published after this time. */
const LONGEST_WAIT_MS = 60_000;
/** The most editors whose events are published in one pass. */
const MAX_EDITORS = 100;

type Dependencies = LoopDependencies &
  Pick<Services, 'db' | 'events' | 'clock' | 'workerPool' | 'dueWork'>;

/**
 * Publishes the events that a commit deferred, because the last event was too recent or the content
 * too large to be read during the commit. The content is read from the database, so any process can
 * publish these events, not only the one that received the updates.
 */
export class DeferredEventPublisher {
  readonly #deps: Dependencies;
  readonly #loop: BackgroundLoop;
  #stopWatching: (() => void) | undefined;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#loop = new BackgroundLoop(deps, {
      name: 'live-document-events',
      run: (signal) => this.#publishAll(signal),
      failure: 'Events of live documents could not be published. They will be tried again.',
    });
  }

  start(): void {
    this.#loop.start();
    this.#stopWatching = this.#deps.dueWork.watch(
      () => sql`SELECT extract(epoch FROM min(event_due_at)) * 1000 FROM crdt_documents`,
      () => this.#loop.wake(),
    );
  }

  async stop(): Promise<void> {
    this.#stopWatching?.();
    await this.#loop.stop();
  }

  async #publishAll(signal: AbortSignal): Promise<void> {
    await attemptAll(await selectDue(this.#deps), async (name) => {
      if (!signal.aborted) await publish(this.#deps, name);
    });
  }
}

/** Selects editors with a due event where editing has paused, or the event has waited long enough. */
function selectDue({ db, clock }: Dependencies): Promise<LiveDocumentName[]> {
  const now = clock.now();
  return db.query<LiveDocumentName>(sql`
    SELECT tenant_id AS "tenantId", organization_id AS "organizationId",
           document_id AS "documentId", editor_id AS "editorId"
    FROM crdt_documents /* all tenants, background */ c ${newestUpdate}
    WHERE event_due_at <= ${new Date(now)}
      AND (${updatedAt} <= ${new Date(now - PAUSE_MS)}
           OR event_due_at <= ${new Date(now - LONGEST_WAIT_MS)})
    ORDER BY event_due_at LIMIT ${MAX_EDITORS}`);
}

/** Publishes a due event. The content is read before the editor is locked, so that no commit waits for it. */
async function publish(deps: Dependencies, name: LiveDocumentName): Promise<void> {
  const { db, events, clock, workerPool } = deps;
  const stored = await loadStored(db, name);
  const now = clock.now();
  // Another process may already have published this event.
  if (!stored || Math.abs(now - (stored.eventAt?.getTime() ?? 0)) < EVENT_INTERVAL_MS) return;
  const content = await runJob(workerPool, { kind: 'readForEvent', stored });
  const change = { ...stored, version: Number(stored.version) };
  await db.transaction(async (tx) => {
    if (await markPublished(tx, name, stored, now)) {
      await events.append(tx, name.tenantId, [updateEvent(name, change, content)]);
    }
  });
}

/**
 * Marks the event for this content as published. If there are newer updates, another event becomes due.
 * The first statement takes the lock, and may wait for a writer. The rows of this writer are visible only
 * to a second statement.
 *
 * @returns whether the event was still due
 */
async function markPublished(
  tx: Transaction,
  { tenantId }: LiveDocumentName,
  { logId, version }: StoredDocument,
  now: number,
): Promise<boolean> {
  const [due] = await tx.query(sql`
    SELECT FROM crdt_documents
    WHERE tenant_id = ${tenantId} AND log_id = ${logId}::uuid AND event_due_at <= ${new Date(now)}
    FOR NO KEY UPDATE`);
  if (!due) return false;
  await tx.query(sql`
    UPDATE crdt_documents d
    SET event_at = ${new Date(now)},
        event_due_at = CASE WHEN ${newestVersion} > ${version}::bigint
                            THEN ${new Date(now + EVENT_INTERVAL_MS)}::timestamptz END
    FROM crdt_documents c ${newestUpdate}
    WHERE d.tenant_id = ${tenantId} AND d.log_id = ${logId}::uuid
      AND c.tenant_id = d.tenant_id AND c.log_id = d.log_id`);
  return true;
}
