import { annotationsOfUser, reactionsOfUser } from '../comments/user-data.ts';
import { notificationsOfUser } from '../notifications/user-data.ts';
import { recordingsOfUser } from '../recordings/user-data.ts';

/** What is kept of users (4.16), one feature's reader a line. */
export const SOURCES = {
  comments: annotationsOfUser,
  reactions: reactionsOfUser,
  recordings: recordingsOfUser,
  notifications: notificationsOfUser,
};
