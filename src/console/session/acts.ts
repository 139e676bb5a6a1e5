import type { Services } from '../../api/context.ts';
import type { Act, SignedIn } from '../../api/credentials/signed-in.ts';
import { sql } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';

const KEPT_DAYS = 180;
const MAX_IDS = 20;
const MAX_ID = 256;

/**
 * Records an action of a person before it is run, so that none goes unrecorded.
 *
 * @returns the function that records the HTTP status of the answer
 */
export async function noteAct(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  { name, role, workspaceId, apiKey }: SignedIn,
  { operation, requestId, input }: Act,
): Promise<(status: number) => Promise<void>> {
  const id = newId();
  const subject = JSON.stringify(idsIn(input));
  await db.query(sql`
    INSERT INTO console_acts (id, at, person, role, operation, workspace_id, api_key, subject,
                              request_id)
    VALUES (${id}, ${new Date(clock.now())}, ${name}, ${role}, ${operation},
            ${workspaceId ?? null}, ${apiKey ?? null}, ${subject}::jsonb,
            ${requestId.slice(0, MAX_ID)})`);
  return async (status) => {
    await db.query(sql`UPDATE console_acts SET status = ${status} WHERE id = ${id}`);
  };
}

/** Objects of an input whose ids are recorded as well: the user and the resources of a change. */
const WITH_IDS = ['user', 'permissions'];

/** The ids in an input, and in the items of its lists. Other values may be secrets or content. */
function idsIn(input: unknown): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  const add = (name: string, value: unknown) => {
    if (typeof value !== 'string') return;
    const ids = found[name] ?? [];
    found[name] = [...ids, value.slice(0, MAX_ID)].slice(0, MAX_IDS);
  };
  const addIds = (value: unknown, isItem: boolean) => {
    for (const [name, field] of Object.entries(Object(value) as object)) {
      if (/(?:^i|I)ds?$/.test(name)) for (const each of [field].flat()) add(name, each);
      else if (!isItem && name === 'apiKey') add(name, field);
      else if (!isItem && WITH_IDS.includes(name)) addIds(field, false);
      else if (!isItem && Array.isArray(field)) for (const item of field) addIdsOfItem(item);
    }
  };
  const addIdsOfItem = (item: unknown) => {
    if (typeof item === 'object') addIds(item, true);
  };
  addIds(input, false);
  return found;
}

export async function deleteOldActs({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<void> {
  const before = new Date(clock.now() - KEPT_DAYS * 86_400_000);
  await db.query(sql`DELETE FROM console_acts /* background */ WHERE at < ${before}`);
}
