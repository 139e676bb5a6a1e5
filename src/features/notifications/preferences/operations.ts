import { z } from 'zod';
import { apiKeyOperation, router } from '../../../api/procedures.ts';
import { getPreferences, setPreferences } from './preferences.ts';
import { GetPreferences, preference, SetPreferences } from './schema.ts';

const targets = { organizationId: 'acme', userId: 'grace', documentIds: ['launch-plan'] };
const response = [
  { userId: 'grace', documentId: 'launch-plan', config: { inbox: 'ALL', email: 'NONE' } },
];

export const preferencesRouter = router({
  get: apiKeyOperation({
    path: '/v2/notifications/config/get',
    summary: 'Get notification preferences',
    description:
      'The effective preferences of each user, in the organization or on each named document: those set there, else those set for the organization, else ALL. MINE notifies of mentions, assignments, and changes in threads in which the user has written; ALL also of changes in threads to which the user has subscribed. A user token reads the preferences of its own user.',
    message: 'Notification config retrieved successfully.',
    userToken: true,
    example: { request: targets, response },
  })
    .input(GetPreferences)
    .output(z.array(preference))
    .query(({ ctx, input }) => getPreferences(ctx, input)),

  set: apiKeyOperation({
    path: '/v2/notifications/config/set',
    summary: 'Set notification preferences',
    description:
      'Sets inbox, email or both for each user, in the organization or on each named document. A user token sets the preferences of its own user.',
    message: 'Notification config updated successfully.',
    userToken: true,
    example: { request: { ...targets, config: { email: 'NONE' } }, response },
  })
    .input(SetPreferences)
    .output(z.array(preference))
    .mutation(({ ctx, input }) => setPreferences(ctx, input)),
});
