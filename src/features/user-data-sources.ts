import { attachmentsOfUser } from './attachments/user-data.ts';
import { annotationsOfUser, reactionsOfUser } from './comments/user-data.ts';
import { notificationsOfUser } from './notifications/user-data.ts';
import { recordingsOfUser } from './recordings/user-data.ts';
import type { UserDataSources } from './user-data/get-user-data.ts';

/** The kinds of user data (specification 4.16), one reader for each feature. */
export const userDataSources: UserDataSources = {
  comments: annotationsOfUser,
  reactions: reactionsOfUser,
  recordings: recordingsOfUser,
  attachments: attachmentsOfUser,
  notifications: notificationsOfUser,
};
