import { z } from 'zod';
import type { EventTypes } from '../../platform/events/event-types.ts';
import { resourceGrant } from './schema.ts';

const data = z
  .object({
    user: z.object({
      userId: z.string(),
      name: z.string().optional().meta({ description: 'Only present for a deleted user.' }),
    }),
    permissions: z.object({ resources: z.array(resourceGrant) }),
  })
  .meta({ id: 'PermissionEventData' });

const example = {
  user: { userId: 'ada' },
  permissions: {
    resources: [
      { type: 'document', id: 'launch-plan', organizationId: 'acme', accessRole: 'editor' },
    ],
  },
};

export const permissionEventTypes: EventTypes = {
  'permission.add': { summary: 'A user was given a role on a resource.', data, example },
  'permission.remove': { summary: "A user's role on a resource was removed.", data, example },
};
