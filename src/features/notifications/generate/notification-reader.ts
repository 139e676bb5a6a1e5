import type { Services } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import type { EventReader } from '../../../platform/events/event-reader.ts';
import { ANNOTATION_EVENTS } from '../../comments/annotations/annotation-event.ts';
import { unsubscribeDeleted } from '../../comments/annotations/annotation-users.ts';
import { notificationConfigs, notifyingKeys } from '../settings/notification-config.ts';
import { isAnnotationEvent } from './annotation-event.ts';
import { audienceOf, isTriggered } from './audience.ts';
import { batchEvents, isDeferred } from './batch-events.ts';
import { notify } from './notify.ts';
import { withdraw } from './withdraw.ts';

/**
 * Generates notifications from events about annotations, by the key's triggers and the users'
 * preferences: at once, or after the key's delay and batching.
 */
export const notificationReader: EventReader<Services> = {
  name: 'notifications',
  types: [...ANNOTATION_EVENTS, 'user.delete'],
  // Deletions are read even while the service is off: they delete earlier notifications.
  where: sql`(type LIKE '%.delete' OR tenant_id IN (${notifyingKeys}))`,
  async handle(services, tx, events) {
    const deleted = events.filter(({ type }) => type === 'user.delete');
    const members = deleted.map(({ tenantId, organizationId, data }) => ({
      tenantId,
      organizationId: organizationId ?? '',
      userId: (data as { userId: string }).userId,
    }));
    await unsubscribeDeleted(tx, members);
    const current = await withdraw(tx, events.filter(isAnnotationEvent));
    if (current.length === 0) return;
    const byTenant = Map.groupBy(current, ({ tenantId }) => tenantId);
    const configs = await notificationConfigs(tx, [...byTenant.keys()]);
    for (const [tenantId, config] of configs) {
      const { useNotificationService, triggers } = config;
      const own = byTenant.get(tenantId) ?? [];
      if (!useNotificationService) continue;
      if (isDeferred(config)) {
        const notifying = own.filter(
          (event) => isTriggered(triggers, event) && audienceOf(event).length > 0,
        );
        await batchEvents(tx, tenantId, config, notifying);
      } else {
        await notify(services, tx, { tenantId, triggers, threads: own.map((event) => [event]) });
      }
    }
  },
};
