import type { Services } from '../../api/context.ts';
import type { SignedIn } from '../../api/credentials/signed-in.ts';
import { type Sql, sql } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { Proof, Session } from './session.ts';

/**
 * Returns the rights of a session for the API key that a request chooses; undefined after a sign-out, and if the
 * credentials of the person are no longer valid.
 *
 * @throws NOT_FOUND for an API key that the person does not have
 */
export async function authorize(
  services: Services,
  session: Session | undefined,
  chosenKey?: string,
): Promise<SignedIn | undefined> {
  const person = session && selectPerson(services, session.proof);
  if (!person) return undefined;
  const { id, role, proof } = session;
  const bounds = boundsOf(proof);
  const apiKey = chosenKey ?? bounds.apiKey;
  // The check waits in the queue of its own key or workspace, so that no session delays the sessions of others.
  const queue = `credentials ${bounds.apiKey ?? bounds.workspaceId ?? 'console'}`;
  type Found = { name: string; workspaceOfKey: string | null };
  // A session whose id is recorded as used was ended by a sign-out.
  const [found] = await services.db.for({ name: queue }).query<Found>(sql`
    SELECT person.name,
           (SELECT workspace_id FROM api_keys WHERE id = ${apiKey ?? null})
             AS "workspaceOfKey"
    FROM (${person}) AS person /* credentials */
    WHERE NOT EXISTS (SELECT 1 FROM console_used_ids WHERE id = ${id})`);
  if (!found) return undefined;
  const workspaceId = found.workspaceOfKey ?? bounds.workspaceId;
  const isMissing = apiKey !== undefined && found.workspaceOfKey === null;
  const isOutOfBounds =
    isOutside(apiKey, bounds.apiKey) || isOutside(workspaceId, bounds.workspaceId);
  // The response is the same for the key of somebody else and for a key that does not exist.
  if (isMissing || isOutOfBounds) throw new AppError('NOT_FOUND', 'The API key does not exist.');
  return {
    name: found.name,
    role,
    apiKey,
    bounds,
    // An API key gives no rights in its workspace.
    workspaceId: bounds.apiKey === undefined ? workspaceId : undefined,
  };
}

const isOutside = (id: string | undefined, bound: string | undefined): boolean =>
  bound !== undefined && id !== bound;

const boundsOf = (proof: Proof): SignedIn['bounds'] =>
  proof.kind === 'workspace'
    ? { workspaceId: proof.workspaceId }
    : proof.kind === 'apiKey'
      ? { apiKey: proof.apiKey }
      : {};

/** SQL for the name of the person. It finds no row, or is undefined, if the credentials are no longer valid. */
function selectPerson({ secrets, config }: Services, proof: Proof): Sql | undefined {
  switch (proof.kind) {
    case 'adminToken':
      return secrets.isMac(config.adminToken, proof.mac)
        ? sql`SELECT 'Administrator' AS name`
        : undefined;
    case 'openId':
      return config.consoleOpenId?.issuer === proof.issuer
        ? sql`SELECT ${proof.email}::text AS name`
        : undefined;
    case 'workspace':
      return sql`SELECT w.name FROM workspace_auth_tokens t JOIN workspaces w ON w.id = t.workspace_id
        WHERE t.workspace_id = ${proof.workspaceId} AND t.hash = ${Buffer.from(proof.tokenHash, 'hex')}`;
    case 'apiKey':
      return sql`SELECT k.name FROM auth_tokens t JOIN api_keys k ON k.id = t.tenant_id
        WHERE t.tenant_id = ${proof.apiKey} AND t.hash = ${Buffer.from(proof.tokenHash, 'hex')}
          AND NOT k.disabled`;
  }
}
