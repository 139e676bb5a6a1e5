import type { Services } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { isErasureEvent } from '../../platform/erasure/erasure-event.ts';
import type { EventReader } from '../../platform/events/event-reader.ts';
import { eventsAt, type LoggedEvent } from '../../platform/events/logged-events.ts';
import { type ActivityToAppend, appendActivities } from './append-activities.ts';
import { isRecorded, triggerOf } from './event-triggers.ts';
import { activityKeys, enabledActivityConfigs } from './settings/activity-config.ts';

/** Records events of organizations that the triggers of their keys select (2.5). */
export const activityReader: EventReader<Services> = {
  name: 'activity',
  where: sql`tenant_id IN (${activityKeys})`,
  // Most events are not recorded, so the data of the others is read below.
  needsNoData: true,
  async handle(_services, tx, events) {
    const configs = await enabledActivityConfigs(tx, [...new Set(events.map(tenantOf))]);
    const recorded = events.filter(({ tenantId, type }) => {
      const config = configs.get(tenantId);
      return config !== undefined && isRecorded(config, triggerOf(type));
    });
    if (recorded.length === 0) return;
    const activities = (await eventsAt(tx, recorded)).flatMap((event) =>
      activityOf(event, configs.get(event.tenantId)?.immutable ?? false),
    );
    if (activities.length > 0) await appendActivities(tx, activities);
  },
};

const tenantOf = ({ tenantId }: LoggedEvent): string => tenantId;

const USER_CHANNEL = 'user:';

/**
 * The record has the id of its event, which prevents duplicates. The log belongs to an
 * organization.
 */
function activityOf(event: LoggedEvent, isImmutable: boolean): ActivityToAppend[] {
  const { tenantId, id, organizationId, documentId, type, createdAt } = event;
  if (organizationId === null) return [];
  return [
    {
      tenantId,
      id,
      organizationId,
      documentId,
      featureType: triggerOf(type).feature,
      actionType: type,
      ...personalFactsOf(event),
      isImmutable,
      createdAt,
    },
  ];
}

/** The record of an erasure does not name the user. */
function personalFactsOf(event: LoggedEvent): Pick<ActivityToAppend, 'userId' | 'content'> {
  if (isErasureEvent(event)) return { userId: null, content: { data: { erased: true } } };
  const acting = event.channels.find((channel) => channel.startsWith(USER_CHANNEL));
  const userId = acting?.slice(USER_CHANNEL.length) ?? null;
  return {
    userId,
    content: { ...(userId !== null && { actionUser: { userId } }), data: event.data },
  };
}
