import { z } from 'zod';
import type { Services } from '../../api/context.ts';
import type { FailedAttempt } from '../../api/credentials/failed-credentials.ts';
import { sql } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import { equalSecrets, sha256 } from '../../platform/secrets.ts';
import type { Session } from './session.ts';
import { redeemSignInLink } from './sign-in-link.ts';

const text = z.string().min(1).max(10_000);

/** What a person shows to sign in: one of four kinds of credentials. */
export const Credentials = z.union([
  z.strictObject({ adminToken: text }),
  z.strictObject({ workspaceId: text, workspaceAuthToken: text }),
  z.strictObject({ apiKey: text, authToken: text }),
  z.strictObject({ link: text }),
]);
type Credentials = z.infer<typeof Credentials>;

type Person = Pick<Session, 'name' | 'role' | 'proof'>;

/**
 * Returns the person whom the credentials stand for. Wrong ones count as failed attempts of the
 * address, so that guessing is slowed.
 *
 * @throws PERMISSION_DENIED; RESOURCE_EXHAUSTED after too many wrong ones
 */
export async function signIn(
  services: Services,
  given: Credentials,
  address: string,
): Promise<Person> {
  const { person, attempt } = await check(services, given);
  if (person) return person;
  throw services.failedCredentials.refuse(
    { address, ...attempt },
    new AppError('PERMISSION_DENIED', REFUSALS[attempt.level] ?? ''),
  );
}

interface Checked {
  person: Person | undefined;
  attempt: Pick<FailedAttempt, 'level' | 'key'>;
}

const REFUSALS: Partial<Record<FailedAttempt['level'], string>> = {
  admin: 'This admin token or link is not valid. A link works once, within ten minutes.',
  workspace: 'This workspace id and token do not belong together.',
  apiKey: 'This API key and auth token do not belong together.',
};

async function check(services: Services, given: Credentials): Promise<Checked> {
  if ('adminToken' in given) {
    const isRight = equalSecrets(given.adminToken, services.config.adminToken);
    const person = isRight ? administrator(services) : undefined;
    return { person, attempt: { level: 'admin', key: 'admin' } };
  }
  if ('link' in given) {
    const isRight = await redeemSignInLink(services, given.link);
    const person = isRight ? administrator(services) : undefined;
    return { person, attempt: { level: 'admin', key: 'link' } };
  }
  if ('workspaceId' in given) {
    const attempt = { level: 'workspace', key: given.workspaceId } as const;
    return { person: await workspaceOwner(services, given), attempt };
  }
  const attempt = { level: 'apiKey', key: given.apiKey } as const;
  return { person: await keyOperator(services, given), attempt };
}

const administrator = ({ secrets, config }: Pick<Services, 'secrets' | 'config'>): Person => ({
  name: 'Administrator',
  role: 'administrator',
  proof: { kind: 'adminToken', mac: secrets.mac(config.adminToken) },
});

async function workspaceOwner(
  { db }: Services,
  { workspaceId, workspaceAuthToken }: { workspaceId: string; workspaceAuthToken: string },
): Promise<Person | undefined> {
  const hash = sha256(workspaceAuthToken);
  const [found] = await db.query<{ name: string }>(sql`
    SELECT w.name FROM workspace_auth_tokens t JOIN workspaces w ON w.id = t.workspace_id
    WHERE t.workspace_id = ${workspaceId} AND t.hash = ${hash}`);
  const proof = { kind: 'workspace', workspaceId, tokenHash: hash.toString('hex') } as const;
  return found && { name: found.name, role: 'owner', proof };
}

async function keyOperator(
  { db }: Services,
  { apiKey, authToken }: { apiKey: string; authToken: string },
): Promise<Person | undefined> {
  const hash = sha256(authToken);
  const [found] = await db.query<{ name: string }>(sql`
    SELECT k.name FROM auth_tokens t JOIN api_keys k ON k.id = t.tenant_id
    WHERE t.tenant_id = ${apiKey} AND t.hash = ${hash}`);
  const proof = { kind: 'apiKey', apiKey, tokenHash: hash.toString('hex') } as const;
  return found && { name: found.name, role: 'operator', proof };
}
