import { z } from 'zod';
import { pageOf, readPageToken, writePageToken } from '../../api/paging.ts';
import { consoleOperation, router } from '../../api/procedures.ts';
import { empty, sql } from '../../platform/database/database.ts';
import { readAllowedKeys } from './keys.ts';

const PAGE_SIZE = 100;

interface AuditEntry {
  id: string;
  at: number;
  person: string;
  role: string;
  operation: string;
  /** The ids in the operation's input, by their names. */
  subject: Record<string, string[]>;
  /** The HTTP status of the response; null while the operation runs, and if its process died. */
  status: number | null;
}

const ListEntries = z.strictObject({
  /** A part of the person's name or of the operation. */
  q: z.string().max(320).optional(),
  pageToken: z.string().max(2000).optional(),
});

export const auditRouter = router({
  /** Lists what people did in the console, newest first: sign-ins, changes, and views of secrets. */
  list: consoleOperation.input(ListEntries).query(async ({ ctx, input: { q, pageToken } }) => {
    const { db, secrets } = ctx;
    const { bounds } = ctx.signedIn;
    const query = { operation: 'console.audit.list', tenantId: '', filters: { q, bounds } };
    const [at, id] = readPageToken(secrets, query, pageToken) ?? [];
    // Actions of people who signed in with a key of the workspace are recorded without the workspace.
    const keys = await readAllowedKeys(db, bounds);
    const isOwn = sql`(workspace_id = ${bounds.workspaceId ?? null} OR api_key = ANY(${keys}::text[]))`;
    const isMatch = sql`strpos(lower(concat_ws(' ', person, operation)), lower(${q})) > 0`;
    const isOlder = sql`(at, id) < (${new Date(Number(at))}, ${id})`;
    const entries = await db.query<AuditEntry>(sql`
      SELECT id, floor(extract(epoch FROM at) * 1000)::float8 AS at, person, role, operation,
             subject, status
      FROM console_acts
      WHERE true ${keys ? sql`AND ${isOwn}` : empty} ${q ? sql`AND ${isMatch}` : empty}
        ${at === undefined ? empty : sql`AND ${isOlder}`}
      ORDER BY console_acts.at DESC, id DESC LIMIT ${PAGE_SIZE + 1}`);
    const { rows, nextPageToken } = pageOf(entries, PAGE_SIZE, (last) =>
      writePageToken(secrets, query, [String(last.at), last.id]),
    );
    return { data: rows, nextPageToken };
  }),
});
