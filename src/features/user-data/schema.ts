import { z } from 'zod';
import { id, pageToken } from '../../api/fields.ts';
import { presentedAttachment } from '../attachments/schema.ts';
import { presentedAnnotation, presentedReaction } from '../comments/response-schemas.ts';
import { presentedNotification } from '../notifications/schema.ts';
import { presentedRecording } from '../recordings/schema.ts';

export const GetUserData = z.object({ organizationId: id, userId: id, pageToken });
export type GetUserDataInput = z.infer<typeof GetUserData>;

export const userDataPage = z.object({
  data: z.object({
    comments: z.array(presentedAnnotation).meta({
      description:
        'Annotations in which the user wrote or was mentioned, that were assigned to the user, or that the user resolved, read or subscribed to.',
    }),
    reactions: z.array(presentedReaction),
    recordings: z.array(presentedRecording),
    attachments: z
      .array(presentedAttachment)
      .meta({ description: 'The files that the user uploaded.' }),
    notifications: z.array(presentedNotification),
  }),
  nextPageToken: z.string().nullable().meta({ description: 'Null on the last page.' }),
});
export type UserDataPages = z.infer<typeof userDataPage>;
