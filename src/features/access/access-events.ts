import type { FeedEvent } from '../../platform/events/event-feed.ts';

/** The types of events that may change who sees what. */
const CHANGES_ACCESS = /^(user|permission|document|folder|organization)\./;

export const changesAccess = ({ type }: Pick<FeedEvent, 'type'>): boolean =>
  CHANGES_ACCESS.test(type);
