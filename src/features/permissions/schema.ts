import { z } from 'zod';
import { accessRole, accessType, batch, id, text } from '../../api/fields.ts';
import { FREE_JSON, jsonProblem } from '../../platform/json.ts';

/** The permission of a user on one resource (specification 2.10). */
export const permissionEntry = z
  .object({
    accessRole: accessRole.optional(),
    accessType: accessType.optional(),
    expiresAt: z
      .number()
      .optional()
      .meta({ description: 'Unix seconds; only for temporary access.' }),
    canComment: z.literal(true).optional().meta({
      description:
        'For viewers of a document whose commentAccess is `viewers`. Editors always can.',
    }),
    error: z.string().optional(),
    errorCode: z.enum(['permission_denied', 'does_not_exist', 'something_went_wrong']).optional(),
  })
  .meta({ id: 'Permission' });
export type PermissionEntry = z.infer<typeof permissionEntry>;

const entries = z.record(z.string(), permissionEntry);

export const userPermissions = z
  .object({
    folders: entries.optional(),
    documents: entries.optional(),
    organization: entries.optional(),
    context: z.object({ accessFields: z.array(z.string()) }).optional(),
  })
  .meta({ id: 'UserPermissions' });
export type UserPermissions = z.infer<typeof userPermissions>;

/** The values of access fields: those that a user holds, or those that an annotation requires. */
export const accessContext = z
  .object({
    access: z
      .record(text(256).min(1), z.array(text(256).min(1)).max(1000))
      .refine(
        (access) => jsonProblem(access, FREE_JSON) === undefined,
        'is larger than 65536 bytes',
      ),
  })
  .meta({ id: 'AccessContext' });

/** The end of the year 9999. A time in milliseconds, given by mistake, is later and would grant access forever. */
const MAX_UNIX_SECONDS = 253_402_300_799;

/** A role to be granted on one resource. */
export const resourceGrant = z
  .object({
    type: z.enum(['organization', 'folder', 'document']),
    id,
    organizationId: id.optional().meta({ description: 'Required for folders and documents.' }),
    accessRole: accessRole.optional().meta({
      description:
        "Default: the user's current role there, or else the key's defaultAccessRole, which is `editor` unless it was changed.",
    }),
    expiresAt: z
      .int()
      .positive()
      .max(MAX_UNIX_SECONDS, 'is later than the year 9999: give Unix seconds, not milliseconds')
      .optional()
      .meta({ description: 'Unix seconds. If absent, the grant never expires.' }),
    context: accessContext.optional(),
  })
  .refine((grant) => grant.type === 'organization' || grant.organizationId !== undefined, {
    path: ['organizationId'],
    message: 'is required for folders and documents',
  })
  .meta({ id: 'Grant' });
export type ResourceGrant = z.infer<typeof resourceGrant>;

/** Returns the organization that a grant's resource belongs to; an organization belongs to itself. */
export const organizationOf = ({ type, id, organizationId }: ResourceGrant): string =>
  type === 'organization' ? id : (organizationId ?? '');

/** Returns a key that is the same for all grants on one resource. */
export const resourceKeyOf = (grant: ResourceGrant): string =>
  JSON.stringify([grant.type, organizationOf(grant), grant.id]);

export const ChangePermissions = z.object({
  user: z.object({ userId: id }),
  permissions: z.object({ resources: batch(resourceGrant) }),
});
export type ChangePermissionsInput = z.infer<typeof ChangePermissions>;
