import { z } from 'zod';
import type { RequestContext } from '../../api/context.ts';
import { HEADERS } from '../../api/credentials/headers.ts';
import {
  authenticateAdmin,
  authenticateKey,
  authenticateWorkspace,
} from '../../api/middleware/authenticate.ts';
import { AppError } from '../../platform/errors.ts';
import { sha256 } from '../../platform/secrets.ts';
import { redeemSignInLink } from './one-time-ids.ts';
import type { Person } from './session.ts';

const text = z.string().min(1).max(10_000);

/** The credentials with which a person signs in: one of four kinds. */
export const Credentials = z.union([
  z.strictObject({ adminToken: text }),
  z.strictObject({ workspaceId: text, workspaceAuthToken: text }),
  z.strictObject({ apiKey: text, authToken: text }),
  z.strictObject({ link: text }),
]);
export type Credentials = z.infer<typeof Credentials>;

/**
 * Returns the person to whom the credentials belong. The credentials are checked, and wrong ones are counted, like
 * those in the headers of a call.
 *
 * @throws PERMISSION_DENIED; RESOURCE_EXHAUSTED after too many wrong ones
 */
export async function signIn(ctx: RequestContext, credentials: Credentials): Promise<Person> {
  if ('link' in credentials) return signInByLink(ctx, credentials.link);
  const headers: Record<string, string> = Object.fromEntries(
    Object.entries(credentials).map(([name, value]) => [
      HEADERS[name as keyof typeof HEADERS],
      value,
    ]),
  );
  const call: RequestContext = { ...ctx, header: (name) => headers[name] };
  if ('adminToken' in credentials) {
    authenticateAdmin(call);
    return administrator(ctx);
  }
  if ('workspaceId' in credentials) {
    const workspaceId = await authenticateWorkspace(call);
    const tokenHash = sha256(credentials.workspaceAuthToken).toString('hex');
    return { role: 'owner', proof: { kind: 'workspace', workspaceId, tokenHash } };
  }
  const { tenantId: apiKey } = await authenticateKey(call, false);
  const tokenHash = sha256(credentials.authToken).toString('hex');
  return { role: 'operator', proof: { kind: 'apiKey', apiKey, tokenHash } };
}

async function signInByLink(ctx: RequestContext, link: string): Promise<Person> {
  if (await redeemSignInLink(ctx, link)) return administrator(ctx);
  const message = 'This link is not valid. A link works once, within ten minutes.';
  const attempt = { address: ctx.address(), level: 'admin', key: 'link' } as const;
  throw ctx.gate.failedCredentials.refuse(attempt, new AppError('PERMISSION_DENIED', message));
}

const administrator = ({ secrets, config }: RequestContext): Person => ({
  role: 'administrator',
  proof: { kind: 'adminToken', mac: secrets.mac(config.adminToken) },
});
