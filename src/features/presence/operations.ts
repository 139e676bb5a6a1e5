import { z } from 'zod';
import { apiKeyOperation, router, subscriptionOperation } from '../../api/procedures.ts';
import { followPresence } from './follow-presence.ts';
import { deletePresence, getPresence, updatePresence } from './presence.ts';
import {
  DeletePresence,
  GetPresence,
  PresenceChanges,
  presenceChange,
  presenceWritten,
  presentedPresence,
  UpdatePresence,
} from './schema.ts';

const presenceChanges = subscriptionOperation({
  summary: 'Follow presence in a document',
  description:
    'Sends all present users first (`presence.state`), and then each change, including users in connected editors. A client that reconnects receives the state again. The subscription ends with PERMISSION_DENIED within a second after access ends.',
  item: presenceChange,
})
  .input(PresenceChanges)
  .subscription(({ ctx, input }) => followPresence(ctx, input));

const place = { organizationId: 'acme', documentId: 'launch-plan' };
const ada = { userId: 'ada', name: 'Ada', email: 'ada@example.com', status: 'away' };

export const presenceRouter = router({
  update: apiKeyOperation({
    path: '/v2/presence/update',
    summary: 'Update presence',
    description:
      'Sets the presence of users. Presence that is not renewed for 60 s becomes `offline`, and is removed after 10 minutes.',
    message: 'Presence updated successfully.',
    userToken: true,
    example: { request: { ...place, users: [ada] }, response: { success: true } },
  })
    .input(UpdatePresence)
    .output(presenceWritten)
    .mutation(({ ctx, input }) => updatePresence(ctx, input)),

  add: apiKeyOperation({
    path: '/v2/presence/add',
    summary: 'Add presence',
    description: 'Does the same as update.',
    message: 'Presence added successfully.',
    userToken: true,
    example: { request: { ...place, users: [ada] }, response: { success: true } },
  })
    .input(UpdatePresence)
    .output(presenceWritten)
    .mutation(({ ctx, input }) => updatePresence(ctx, input)),

  get: apiKeyOperation({
    path: '/v2/presence/get',
    summary: 'Get presence',
    description:
      'The users who are present in a document, including users in connected editors, ordered by id.',
    message: 'Presence retrieved successfully.',
    userToken: true,
    example: { request: place, response: [ada] },
  })
    .input(GetPresence)
    .output(z.array(presentedPresence))
    .query(({ ctx, input }) => getPresence(ctx, input)),

  delete: apiKeyOperation({
    path: '/v2/presence/delete',
    summary: 'Delete presence',
    description:
      'Deletes presence that was set through the API. Users who have the document open stay present.',
    message: 'Presence deleted successfully.',
    userToken: true,
    example: { request: { ...place, userIds: ['ada'] }, response: { success: true } },
  })
    .input(DeletePresence)
    .output(presenceWritten)
    .mutation(({ ctx, input }) => deletePresence(ctx, input)),

  changes: presenceChanges,
});
