import { z } from 'zod';
import { batch, id, idList } from '../../../api/fields.ts';

const level = z.enum(['ALL', 'MINE', 'NONE']);

const targets = {
  organizationId: id,
  userId: id.optional().meta({
    description: 'Give either this or userIds. With a user token, it is the user of the token.',
  }),
  userIds: batch(id).optional(),
  documentIds: idList(30)
    .optional()
    .meta({ description: 'Absent or empty: the preferences for the whole organization.' }),
};

export const GetPreferences = z.object(targets);
export type PreferencesQuery = z.infer<typeof GetPreferences>;

export const SetPreferences = z.object({
  ...targets,
  config: z
    .object({ inbox: level.optional(), email: level.optional() })
    .refine(({ inbox, email }) => inbox !== undefined || email !== undefined, {
      message: 'must have at least one of inbox and email',
    }),
});
export type SetPreferencesInput = z.infer<typeof SetPreferences>;

/** The notification preferences of a user, in an organization or on one document of it. */
export const preference = z
  .object({
    userId: z.string(),
    documentId: z.string().optional(),
    config: z.object({ inbox: level, email: level }),
  })
  .meta({ id: 'NotificationPreference' });
export type Preference = z.infer<typeof preference>;
