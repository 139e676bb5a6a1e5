import type { FeedEvent } from '../../platform/events/event-feed.ts';

/** The types of events that may change the access of users. */
const CHANGES_ACCESS = /^(user|permission|document|folder|organization)\./;

export const changesAccess = ({ type }: Pick<FeedEvent, 'type'>): boolean =>
  CHANGES_ACCESS.test(type);
