import type { Services } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import type { EventReader } from '../../../platform/events/event-reader.ts';
import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import { ANNOTATION_EVENTS } from '../../comments/annotations/annotation-event.ts';
import { unsubscribeDeleted } from '../../comments/annotations/annotation-users.ts';
import { enabledNotificationConfigs, notifyingKeys } from '../settings/notification-config.ts';
import { isAnnotationEvent } from './annotation-event.ts';
import { batchEvents, isDeferred } from './batch-events.ts';
import { notify } from './notify.ts';
import { shouldNotify } from './should-notify.ts';
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
    await unsubscribeDeleted(tx, events.filter(({ type }) => type === 'user.delete').map(memberOf));
    const current = await withdraw(tx, events.filter(isAnnotationEvent));
    if (current.length === 0) return;
    const byTenant = Map.groupBy(current, ({ tenantId }) => tenantId);
    const configs = await enabledNotificationConfigs(tx, [...byTenant.keys()]);
    for (const [tenantId, config] of configs) {
      const notifying = (byTenant.get(tenantId) ?? []).filter((event) =>
        shouldNotify(config, event),
      );
      if (isDeferred(config)) await batchEvents(tx, tenantId, config, notifying);
      else await notify(services, tx, { tenantId, threads: notifying.map((event) => [event]) });
    }
  },
};

const memberOf = ({ tenantId, organizationId, data }: LoggedEvent) => ({
  tenantId,
  organizationId: organizationId ?? '',
  userId: (data as { userId: string }).userId,
});
