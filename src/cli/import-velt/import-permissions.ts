import type { Grant } from '../../api/contract.ts';
import { bisectFailures } from './bisect-failures.ts';
import { chunksOf, listOf, rowOf, textOf, type User, userOf } from './hosted-rows.ts';
import { isMissing, MAX_IDS, type Row } from './hosted-service.ts';
import type { OrganizationImport } from './import-context.ts';

type ResourceRef = Pick<Grant, 'type' | 'id'>;

/** A user's role on a resource, with its expiry and the values of the access context to which it is limited. */
interface Role {
  user: User;
  expiresAt?: number | undefined;
  context?: Grant['context'];
}

/** Imports the roles on a folder or a document. */
export async function importPermissions(
  ctx: OrganizationImport,
  resource: ResourceRef,
): Promise<void> {
  try {
    for await (const { rows } of ctx.from.pages('/v2/users/get', resourceFields(ctx, resource))) {
      const users = rows.flatMap((row) => userOf(row) ?? []);
      for (const part of chunksOf(users, MAX_IDS)) await importRoles(ctx, resource, part);
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
    ctx.writer.addRefusal(
      'permissions',
      resource.id,
      'The hosted service cannot read the users of this resource.',
    );
  }
}

/** Imports users of the organization, with their roles in it. */
export async function importMembers(ctx: OrganizationImport, rows: Row[]): Promise<void> {
  const { writer, organizationId } = ctx;
  const users = writer.convert('users', rows, userOf, 'The user has no id.');
  const resource = { type: 'organization', id: organizationId } as const;
  const onFault = ({ userId }: User) =>
    writer.addRefusal('users', userId, "The hosted service cannot read the user's role.");
  for (const part of chunksOf(users, MAX_IDS)) {
    const work = (some: User[]) => importRoles(ctx, resource, some);
    await bisectFailures(part, { work, isFault: isMissing, onFault });
  }
}

/** Returns the fields by which operations name the resource. */
const resourceFields = ({ organizationId }: OrganizationImport, { type, id }: ResourceRef) => ({
  organizationId,
  folderId: type === 'folder' ? id : undefined,
  documentId: type === 'document' ? id : undefined,
});

async function importRoles(
  ctx: OrganizationImport,
  resource: ResourceRef,
  users: User[],
): Promise<void> {
  const { to, writer, organizationId } = ctx;
  const kind = resource.type === 'organization' ? 'users' : 'permissions';
  const fields = resourceFields(ctx, resource);
  const read = async (userIds: string[]) =>
    (await to.users.get({ ...fields, userIds })).data.map(({ userId }) => userId);
  const roles = await readRoles(ctx, resource, users);
  writer.addLeftOut('users whose role has expired or cannot be read', users.length - roles.length);
  const isPlain = (role: Role) => !role.context && role.expiresAt === undefined;
  const plain = roles.filter(isPlain).map(({ user }) => user);
  await writer.sendNew(kind, plain, 'userId', {
    read,
    add: (some) => to.users.add({ ...fields, users: some }),
  });
  for (const { user, expiresAt, context } of roles.filter((role) => !isPlain(role))) {
    const { accessRole, ...person } = user;
    const { userId } = person;
    const grant = { ...resource, organizationId, accessRole, expiresAt, context } as Grant;
    await writer.sendNew(kind, [user], 'userId', {
      read,
      async add() {
        // The role with its limits is added first. Otherwise the user would have unlimited access until
        // then, and keep it if the import is stopped.
        await to.permissions.add({ user: { userId }, permissions: { resources: [grant] } });
        return to.users.add({ ...fields, users: [person] });
      },
    });
  }
}

async function readRoles(
  { from, organizationId }: OrganizationImport,
  resource: ResourceRef,
  users: User[],
): Promise<Role[]> {
  const { type, id } = resource;
  const { rows } = await from.read('/v2/auth/permissions/get', {
    organizationId,
    userIds: users.map(({ userId }) => userId),
    folderIds: type === 'folder' ? [id] : undefined,
    documentIds: type === 'document' ? [id] : undefined,
  });
  return users.flatMap((user) => roleOf(user, rowOf(rows[0]?.[user.userId]), resource) ?? []);
}

/** @returns undefined if the hosted service reports an error instead of the role, as it does for an expired one */
function roleOf(user: User, shown: Row | undefined, { type, id }: ResourceRef): Role | undefined {
  const kind = type === 'organization' ? type : `${type}s`;
  const entry = rowOf(rowOf(shown?.[kind])?.[id]);
  if (entry?.error !== undefined || entry?.errorCode !== undefined) return undefined;
  const expiresAt = typeof entry?.expiresAt === 'number' ? entry.expiresAt : undefined;
  const context = contextOf(listOf(rowOf(shown?.context)?.accessFields));
  return { user, expiresAt, context };
}

/** Returns the values of each field, from texts such as `field:value`. */
function contextOf(accessFields: unknown[]): Grant['context'] {
  const access: Record<string, string[]> = {};
  for (const text of accessFields.flatMap((value) => textOf(value) ?? [])) {
    const [field = '', ...value] = text.split(':');
    access[field] = [...(access[field] ?? []), value.join(':')];
  }
  return Object.keys(access).length === 0 ? undefined : { access };
}
