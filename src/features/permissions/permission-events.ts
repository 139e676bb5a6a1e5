import type { AccessRole } from '../../api/fields.ts';
import type { NewEvent } from '../../platform/events/event-log.ts';
import type { ResourceGrant } from './schema.ts';

/** A grant as stored. */
export interface GrantRow {
  type: ResourceGrant['type'];
  id: string;
  organizationId: string;
  accessRole: AccessRole;
  expiresAt: string | null;
  context: Record<string, string[]> | null;
}

/** Presents a grant in the form of the input. */
const presentGrant = ({ expiresAt, context, ...grant }: GrantRow): ResourceGrant => ({
  ...grant,
  ...(expiresAt !== null && { expiresAt: Number(expiresAt) }),
  ...(context !== null && { context: { access: context } }),
});

/** Creates one event for each resource, in its organization, where readers expect it. */
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
