import { notificationsOfUser } from '../notifications/user-data.ts';
import { recordingsOfUser } from '../recordings/user-data.ts';
import type { UserDataSource } from './source.ts';

/** Nothing of a kind that no feature keeps. */
const nothing: UserDataSource<Record<string, unknown>> = {
  read: async () => ({ items: [], next: undefined }),
};

/** What is kept of users (4.16), one feature's reader a line. */
export const SOURCES = {
  comments: nothing,
  reactions: nothing,
  recordings: recordingsOfUser,
  notifications: notificationsOfUser,
};
