import type { FeedEvent } from '../../platform/events/event-feed.ts';

const ACCESS_EVENT_TYPES = /^(user|permission|document|folder|organization)\./;

/** Whether an event may change the access of users. */
export const changesAccess = ({ type }: Pick<FeedEvent, 'type'>): boolean =>
  ACCESS_EVENT_TYPES.test(type);
