import type { Services } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { isErasureEvent } from '../../platform/erasure/erasure-event.ts';
import type { EventReader } from '../../platform/events/event-reader.ts';
import { eventsAt, type LoggedEvent } from '../../platform/events/logged-events.ts';
import { appendActivities } from './append-activities.ts';
import { isRecorded, triggerOf } from './event-triggers.ts';
import type { ActivityFacts } from './record.ts';
import { activityKeys, enabledActivityConfigs } from './settings/activity-config.ts';

/** Records events of organizations that the triggers of their keys select (2.5). */
export const activityReader: EventReader<Services> = {
  name: 'activity',
  where: sql`tenant_id IN (${activityKeys})`,
  // Most events are not recorded, so the data of the others is read below.
  needsNoData: true,
  async handle(_services, tx, events) {
    const byTenant = Map.groupBy(events, ({ tenantId }) => tenantId);
    const configs = await enabledActivityConfigs(tx, [...byTenant.keys()]);
    for (const [tenantId, config] of configs) {
      const recorded = (byTenant.get(tenantId) ?? []).filter(({ type }) =>
        isRecorded(config, triggerOf(type)),
      );
      if (recorded.length === 0) continue;
      const sequences = recorded.map(({ sequence }) => sequence);
      const facts = (await eventsAt(tx, tenantId, sequences)).flatMap((event) =>
        factsOf(event, config.immutable ?? false),
      );
      if (facts.length > 0) await appendActivities(tx, tenantId, facts);
    }
  },
};

const USER_CHANNEL = 'user:';

/**
 * The record has the id of its event, which prevents duplicates. The log belongs to an
 * organization.
 */
function factsOf(event: LoggedEvent, isImmutable: boolean): ActivityFacts[] {
  const { id, organizationId, documentId, type, createdAt } = event;
  if (organizationId === null) return [];
  return [
    {
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
function personalFactsOf(event: LoggedEvent): Pick<ActivityFacts, 'userId' | 'content'> {
  if (isErasureEvent(event)) return { userId: null, content: { data: { erased: true } } };
  const acting = event.channels.find((channel) => channel.startsWith(USER_CHANNEL));
  const userId = acting?.slice(USER_CHANNEL.length) ?? null;
  return {
    userId,
    content: { ...(userId !== null && { actionUser: { userId } }), data: event.data },
  };
}
