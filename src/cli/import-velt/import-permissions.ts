import type { Grant } from '../../api/contract.ts';
import { chunksOf, listOf, rowOf, textOf, type User, userOf } from './hosted-rows.ts';
import { isMissing, MAX_IDS, type Row } from './hosted-service.ts';
import type { OrganizationImport } from './import-context.ts';

type ResourceRef = Pick<Grant, 'type' | 'id'>;

/** A user's role on a resource, with its end and the values of the access context that it is limited to. */
interface Role {
  user: User;
  expiresAt?: number | undefined;
  context?: Grant['context'];
}

/** Imports the roles on an organization, a folder or a document. */
export async function importPermissions(
  ctx: OrganizationImport,
  place: ResourceRef,
): Promise<void> {
  try {
    for await (const { rows } of ctx.from.pages('/v2/users/get', fieldsOf(ctx, place))) {
      const users = rows.flatMap((row) => userOf(row) ?? []);
      for (const part of chunksOf(users, MAX_IDS)) await importRoles(ctx, place, part);
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
    ctx.writer.addRefusal('permissions', place.id, 'The hosted service cannot read its users.');
  }
}

/** The fields by which operations name the place. */
const fieldsOf = ({ organizationId }: OrganizationImport, { type, id }: ResourceRef) => ({
  organizationId,
  folderId: type === 'folder' ? id : undefined,
  documentId: type === 'document' ? id : undefined,
});

async function importRoles(
  ctx: OrganizationImport,
  place: ResourceRef,
  all: User[],
): Promise<void> {
  const { from, to, writer, organizationId } = ctx;
  const { type, id } = place;
  const { rows } = await from.read('/v2/auth/permissions/get', {
    organizationId,
    userIds: all.map(({ userId }) => userId),
    folderIds: type === 'folder' ? [id] : undefined,
    documentIds: type === 'document' ? [id] : undefined,
  });
  const roles = all.flatMap((user) => roleOf(user, rowOf(rows[0]?.[user.userId]), place) ?? []);
  const isPlain = (role: Role) => !role.context && role.expiresAt === undefined;
  const plain = roles.filter(isPlain).map(({ user }) => user);
  // The users of the organization are there already, with their roles.
  if (type !== 'organization') {
    await writer.send('permissions', plain, 'userId', (users) =>
      to.users.add({ ...fieldsOf(ctx, place), users }),
    );
  }
  for (const { user, expiresAt, context } of roles.filter((role) => !isPlain(role))) {
    const { userId, accessRole } = user;
    const grant = { type, id, organizationId, accessRole, expiresAt, context } as Grant;
    await writer.send('permissions', [user], 'userId', () =>
      to.permissions.add({ user: { userId }, permissions: { resources: [grant] } }),
    );
  }
}

/** @returns undefined for a role that has ended */
function roleOf(user: User, shown: Row | undefined, { type, id }: ResourceRef): Role | undefined {
  const kind = type === 'organization' ? type : `${type}s`;
  const entry = rowOf(rowOf(shown?.[kind])?.[id]);
  if (entry?.error !== undefined || entry?.errorCode !== undefined) return undefined;
  const expiresAt = typeof entry?.expiresAt === 'number' ? entry.expiresAt : undefined;
  const context = contextOf(listOf(rowOf(shown?.context)?.accessFields));
  return { user, expiresAt, context };
}

/** The values of each field, from `field:value`. */
function contextOf(accessFields: unknown[]): Grant['context'] {
  const access: Record<string, string[]> = {};
  for (const text of accessFields.flatMap((value) => textOf(value) ?? [])) {
    const [field = '', ...value] = text.split(':');
    access[field] = [...(access[field] ?? []), value.join(':')];
  }
  return Object.keys(access).length === 0 ? undefined : { access };
}
