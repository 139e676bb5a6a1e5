import type { Services } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { isErasureEvent } from '../../platform/erasure/erasure-event.ts';
import type { EventReader } from '../../platform/events/event-reader.ts';
import { eventsAt, type LoggedEvent } from '../../platform/events/logged-events.ts';
import { isTriggerOn, triggerOf } from '../settings/triggers.ts';
import { type ActivityToAppend, appendActivities } from './append-activities.ts';
import { activityConfigs, keysWithActivityLogs } from './settings/activity-config.ts';

/** Records an organization's events as activities if the API key's triggers for them are on (specification 2.5). */
export const activityReader: EventReader<Services> = {
  name: 'activity',
  where: sql`tenant_id IN (${keysWithActivityLogs})`,
  // Most events are not recorded, so `handle` reads only the data of the recorded ones.
  needsNoData: true,
  batch: 500,
  async handle(_services, tx, events) {
    const tenantIds = new Set(events.map(({ tenantId }) => tenantId));
    const configs = await activityConfigs(tx, [...tenantIds]);
    const recorded = events.filter(({ tenantId, type }) => {
      const config = configs.get(tenantId);
      return config?.isEnabled && isTriggerOn(config.triggers ?? {}, type);
    });
    if (recorded.length === 0) return;
    const activities = (await eventsAt(tx, recorded)).flatMap((event) =>
      activityOf(event, configs.get(event.tenantId)?.immutable ?? false),
    );
    if (activities.length > 0) await appendActivities(tx, activities);
  },
};

const USER_CHANNEL_PREFIX = 'user:';
/** The user channels of these types name the user whom the event is about, and those of other types the actor. */
const TYPES_ABOUT_USERS = /^(user|permission)\./;

/**
 * Returns the record of an event, or none for an event outside organizations. The record has the id of
 * its event, which prevents duplicates. The record of an erasure does not name the user.
 */
function activityOf(event: LoggedEvent, isImmutable: boolean): ActivityToAppend[] {
  const { channels, data, organizationId, type, sequence: _, ...eventFields } = event;
  if (organizationId === null) return [];
  const isErasure = isErasureEvent(event);
  const channel =
    isErasure || TYPES_ABOUT_USERS.test(type)
      ? undefined
      : channels.find((each) => each.startsWith(USER_CHANNEL_PREFIX));
  const userId = channel?.slice(USER_CHANNEL_PREFIX.length) ?? null;
  const actor = userId === null ? {} : { actionUser: { userId } };
  return [
    {
      ...eventFields,
      organizationId,
      featureType: triggerOf(type).feature,
      actionType: type,
      userId,
      content: { ...actor, data: isErasure ? { erased: true } : data },
      isImmutable,
    },
  ];
}
