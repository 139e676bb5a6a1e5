import type { Services } from '../../api/context.ts';
import type { AuditedAction, SignedIn } from '../../api/credentials/signed-in.ts';
import { sql } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';

const KEPT_DAYS = 180;
const MAX_IDS = 20;
const MAX_ID_LENGTH = 256;

/**
 * Records an action of a person before the action is run, so that no action goes unrecorded.
 *
 * @returns a function that records the HTTP status of the response
 */
export async function recordAction(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  { name, role, workspaceId, apiKey }: SignedIn,
  { operation, requestId, input }: AuditedAction,
): Promise<(status: number) => Promise<void>> {
  const id = newId();
  const subject = JSON.stringify(idsIn(input));
  await db.query(sql`
    INSERT INTO console_acts (id, at, person, role, operation, workspace_id, api_key, subject,
                              request_id)
    VALUES (${id}, ${new Date(clock.now())}, ${name}, ${role}, ${operation},
            ${workspaceId ?? null}, ${apiKey ?? null}, ${subject}::jsonb,
            ${requestId.slice(0, MAX_ID_LENGTH)})`);
  return async (status) => {
    await db.query(sql`UPDATE console_acts SET status = ${status} WHERE id = ${id}`);
  };
}

/** The ids in an input, by their names. Other values may be secrets or content, and are left out. */
function idsIn(input: unknown): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const part of partsWithIds(input)) {
    for (const [name, value] of Object.entries(Object(part) as object)) {
      // Names such as `id`, `userId` and `userIds`, and the API key that the input is about.
      const isId = /(?:^i|I)ds?$/.test(name) || (part === input && name === 'apiKey');
      const texts = [value].flat().filter((each) => typeof each === 'string');
      if (!isId || texts.length === 0) continue;
      const ids = texts.map((text) => text.slice(0, MAX_ID_LENGTH));
      found[name] = [...(found[name] ?? []), ...ids].slice(0, MAX_IDS);
    }
  }
  return found;
}

/** Returns an input, the items of its lists and, for a change of permissions, its user and its resources. */
function partsWithIds(input: unknown): unknown[] {
  const { user, permissions } = Object(input) as { user?: unknown; permissions?: unknown };
  const lists = [input, permissions].flatMap((each) =>
    Object.values(Object(each) as object).filter(Array.isArray),
  );
  return [input, user, ...lists.flat()].filter((part) => typeof part === 'object');
}

export async function deleteOldAuditEntries({ db, clock }: Pick<Services, 'db' | 'clock'>) {
  const before = new Date(clock.now() - KEPT_DAYS * 86_400_000);
  await db.query(sql`DELETE FROM console_acts /* background */ WHERE at < ${before}`);
}
