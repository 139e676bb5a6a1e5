import { call } from '../api/client.ts';
import { keysQuery } from '../api/key.ts';
import { queries } from '../api/queries.ts';
import { type Person, seesSecrets } from '../api/session.ts';

/** The organization that the first start makes. */
const DEMO = 'demo';

/**
 * Returns the key of a fresh server: the only one, with no organization but the demo one. People who
 * begin see the playground first, and all others the overview.
 */
export async function freshKey(person: Person): Promise<string | undefined> {
  if (!seesSecrets(person)) return undefined;
  try {
    const { keys } = await queries.ensureQueryData(keysQuery);
    const [key] = keys;
    if (!key || keys.length > 1) return undefined;
    const { data } = await call(key.apiKey, 'organizations.get', { pageSize: 2 });
    return data.every(({ organizationId }) => organizationId === DEMO) ? key.apiKey : undefined;
  } catch {
    // The overview says what fails.
    return undefined;
  }
}
