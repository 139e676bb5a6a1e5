import type { AccessRole } from '../../api/fields.ts';
import type { NewEvent } from '../../platform/events/event-log.ts';
import type { ResourceGrant } from './schema.ts';

/** A grant as the database has it. */
export interface GrantRow {
  type: ResourceGrant['type'];
  id: string;
  organizationId: string;
  accessRole: AccessRole;
  expiresAt: string | null;
  context: Record<string, string[]> | null;
}

/** A grant as it is given. */
const presentGrant = ({ expiresAt, context, ...grant }: GrantRow): ResourceGrant => ({
  ...grant,
  ...(expiresAt !== null && { expiresAt: Number(expiresAt) }),
  ...(context !== null && { context: { access: context } }),
});

/** One event a resource, in its organization, since that is where readers look. */
export const permissionEvents = (
  type: 'permission.add' | 'permission.remove',
  userId: string,
  grants: GrantRow[],
): NewEvent[] =>
  grants.map((grant) => {
    const { organizationId } = grant;
    const place = `${grant.type}:${grant.id}`;
    const channels = new Set([`organization:${organizationId}`, place, `user:${userId}`]);
    const permissions = { resources: [presentGrant(grant)] };
    return {
      type,
      organizationId,
      ...(grant.type === 'document' && { documentId: grant.id }),
      channels: [...channels],
      data: { user: { userId }, permissions },
    };
  });
