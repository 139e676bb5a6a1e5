import { z } from 'zod';
import { id, pageToken } from '../../api/fields.ts';
import { presentedNotification } from '../notifications/schema.ts';
import { presentedRecording } from '../recordings/schema.ts';

export const GetUserData = z.object({ organizationId: id, userId: id, pageToken });
export type GetUserDataInput = z.infer<typeof GetUserData>;

const item = z.record(z.string(), z.unknown());

export const userDataPage = z.object({
  data: z.object({
    comments: z.array(item),
    reactions: z.array(item),
    recordings: z.array(presentedRecording),
    notifications: z.array(presentedNotification),
  }),
  nextPageToken: z.string().nullable().meta({ description: 'Null: there is no more.' }),
});
export type UserDataPages = z.infer<typeof userDataPage>;
