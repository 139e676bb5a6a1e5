import type { Grant } from '../../api/contract.ts';
import { listOf, partsOf, rowOf, textOf, type User, userOf } from './hosted-rows.ts';
import { isMissing, MAX_IDS, type Row } from './hosted-service.ts';
import type { ImportContext } from './import-context.ts';

interface Place {
  type: Grant['type'];
  organizationId: string;
  id: string;
}

/** A user's role on a place, and how long and for which values of the access context it is. */
interface Role {
  user: User;
  expiresAt?: number | undefined;
  context?: Grant['context'];
}

/** Imports the roles on an organization, a folder or a document. */
export async function importPermissions(ctx: ImportContext, place: Place): Promise<void> {
  try {
    for await (const { rows } of ctx.from.pages('/v2/users/get', fieldsOf(place))) {
      const users = rows.flatMap((row) => userOf(row) ?? []);
      for (const part of partsOf(users, MAX_IDS)) await importRoles(ctx, place, part);
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
    ctx.writer.tally.refuse('permissions', place.id, 'The hosted service cannot read its users.');
  }
}

/** The fields by which operations name the place. */
const fieldsOf = ({ type, organizationId, id }: Place) => ({
  organizationId,
  ...(type === 'folder' && { folderId: id }),
  ...(type === 'document' && { documentId: id }),
});

async function importRoles(ctx: ImportContext, place: Place, users: User[]): Promise<void> {
  const { organizationId } = place;
  const permissions = await ctx.from.readObject('/v2/auth/permissions/get', {
    organizationId,
    userIds: users.map(({ userId }) => userId),
    ...(place.type === 'folder' && { folderIds: [place.id] }),
    ...(place.type === 'document' && { documentIds: [place.id] }),
  });
  const roles = users.flatMap((user) => roleOf(user, rowOf(permissions[user.userId]), place) ?? []);
  const { to, writer } = ctx;
  const isPlain = (role: Role) => !role.context && role.expiresAt === undefined;
  const plain = roles.filter(isPlain).map(({ user }) => user);
  // The users of the organization are there already, with their roles.
  if (place.type !== 'organization') {
    await writer.send('permissions', plain, {
      idOf: ({ userId }) => userId,
      call: (items) => to.users.add({ ...fieldsOf(place), users: items }),
    });
  }
  for (const { user, expiresAt, context } of roles.filter((role) => !isPlain(role))) {
    const { accessRole } = user;
    const { type, id } = place;
    const grant = { type, id, organizationId, accessRole, expiresAt, context } as Grant;
    await writer.send('permissions', [user], {
      idOf: ({ userId }) => userId,
      call: async ([{ userId } = user]) => {
        await to.permissions.add({ user: { userId }, permissions: { resources: [grant] } });
        return undefined;
      },
    });
  }
}

/** @returns undefined for a role that has ended */
function roleOf(user: User, shown: Row | undefined, { type, id }: Place): Role | undefined {
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
