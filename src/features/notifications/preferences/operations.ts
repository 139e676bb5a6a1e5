import { z } from 'zod';
import { apiKeyOperation, router } from '../../../api/procedures.ts';
import { getPreferences, setPreferences } from './preferences.ts';
import { GetPreferences, preference, SetPreferences } from './schema.ts';

const about = { organizationId: 'acme', userId: 'grace', documentIds: ['launch-plan'] };
const response = [
  { userId: 'grace', documentId: 'launch-plan', config: { inbox: 'ALL', email: 'NONE' } },
];

export const preferencesRouter = router({
  get: apiKeyOperation({
    path: '/v2/notifications/config/get',
    summary: 'Get what users want to be told of',
    description:
      "What counts for each user, in the organization or on each document named: what is set there, else what is set for the organization, else ALL. MINE is what mentions the user, is assigned to the user, or happens in threads in which the user wrote; ALL is also what happens in threads that the user follows. A user token reads its own user's.",
    message: 'Notification config retrieved successfully.',
    userToken: true,
    example: { request: about, response },
  })
    .input(GetPreferences)
    .output(z.array(preference))
    .query(({ ctx, input }) => getPreferences(ctx, input)),

  set: apiKeyOperation({
    path: '/v2/notifications/config/set',
    summary: 'Set what users want to be told of',
    description:
      "Sets inbox, email or both for each user, in the organization or on each document named. A user token sets its own user's.",
    message: 'Notification config updated successfully.',
    userToken: true,
    example: { request: { ...about, config: { email: 'NONE' } }, response },
  })
    .input(SetPreferences)
    .output(z.array(preference))
    .mutation(({ ctx, input }) => setPreferences(ctx, input)),
});
