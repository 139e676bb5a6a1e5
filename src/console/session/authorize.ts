import type { Services } from '../../api/context.ts';
import type { SignedIn } from '../../api/credentials/signed-in.ts';
import { type Sql, sql } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { Proof, Session } from './session.ts';

/** What a request of the console is about, by the headers that its page sends. */
export interface Chosen {
  workspaceId: string | undefined;
  apiKey: string | undefined;
}

const signedOut = () => new AppError('UNAUTHENTICATED', 'Sign in to the console first.');

/**
 * Returns what a session may do in the workspace and with the API key of a request.
 *
 * @throws UNAUTHENTICATED after a sign-out, and when what the person signed in with holds no longer;
 *   NOT_FOUND for an API key or workspace that the person does not have
 */
export async function authorize(
  services: Services,
  session: Session | undefined,
  { workspaceId, apiKey = ownKey(session) }: Chosen,
): Promise<SignedIn> {
  if (!session) throw signedOut();
  const { proof, role, id } = session;
  if (!holdsByItself(services, proof)) throw signedOut();
  const [found] = await services.db.query<Found>(sql`
    SELECT NOT EXISTS (SELECT 1 FROM console_used_ids WHERE id = ${id}) AND ${stillHolds(proof)}
             AS "isValid",
           (SELECT workspace_id FROM api_keys WHERE id = ${apiKey ?? null}) AS "ofKey",
           (SELECT id FROM workspaces WHERE id = ${workspaceId ?? null}) AS "ofWorkspace"`);
  if (!found?.isValid) throw signedOut();
  const isMissing =
    (apiKey !== undefined && found.ofKey === null) ||
    (workspaceId !== undefined && found.ofWorkspace === null);
  if (isMissing) throw noSuch();
  const chosen = found.ofKey ?? found.ofWorkspace ?? ownWorkspace(proof);
  if (!mayEnter(proof, { workspaceId: chosen, apiKey })) throw noSuch();
  // An API key has no say in its workspace.
  const isKey = proof.kind === 'apiKey';
  const bounds = { workspaceId: ownWorkspace(proof), apiKey: ownKey(session) };
  return { role, workspaceId: isKey ? undefined : chosen, apiKey, bounds };
}

interface Found {
  isValid: boolean;
  ofKey: string | null;
  ofWorkspace: string | null;
}

/** The same for what exists, but not for this person. */
const noSuch = () => new AppError('NOT_FOUND', 'There is no such API key or workspace.');

const ownKey = (session: Session | undefined): string | undefined =>
  session?.proof.kind === 'apiKey' ? session.proof.apiKey : undefined;

const ownWorkspace = (proof: Proof): string | undefined =>
  proof.kind === 'workspace' ? proof.workspaceId : undefined;

/** What the settings of this process say: the admin token and the issuer are the present ones. */
function holdsByItself({ secrets, config }: Services, proof: Proof): boolean {
  if (proof.kind === 'adminToken') return secrets.isMac(config.adminToken, proof.mac);
  if (proof.kind === 'openId') return config.consoleOpenId?.issuer === proof.issuer;
  return true;
}

/** What the database says: the token was not reset. */
function stillHolds(proof: Proof): Sql {
  switch (proof.kind) {
    case 'workspace':
      return sql`EXISTS (SELECT 1 FROM workspace_auth_tokens
        WHERE workspace_id = ${proof.workspaceId} AND hash = ${Buffer.from(proof.tokenHash, 'hex')})`;
    case 'apiKey':
      return sql`EXISTS (SELECT 1 FROM auth_tokens
        WHERE tenant_id = ${proof.apiKey} AND hash = ${Buffer.from(proof.tokenHash, 'hex')})`;
    default:
      return sql`TRUE`;
  }
}

function mayEnter(proof: Proof, { workspaceId, apiKey }: Chosen): boolean {
  if (proof.kind === 'workspace') return workspaceId === proof.workspaceId;
  if (proof.kind === 'apiKey') return apiKey === proof.apiKey;
  return true;
}
