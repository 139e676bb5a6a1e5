import type { FeedEvent } from '../../platform/events/event-feed.ts';

const CHANGES_ACCESS = /^(user|permission|document|folder|organization)\./;

/** Whether an event may change the access of users. */
export const changesAccess = ({ type }: Pick<FeedEvent, 'type'>): boolean =>
  CHANGES_ACCESS.test(type);
