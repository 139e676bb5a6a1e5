import type { Services } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import type { LoggedEvent } from '../../../platform/events/event-log.ts';
import type { EventReader } from '../../../platform/events/event-reader.ts';
import { ANNOTATION_EVENTS } from '../../comments/annotations/annotation-event.ts';
import { unsubscribeDeleted } from '../../comments/annotations/annotation-users.ts';
import { enabledNotificationConfigs, notifyingKeys } from '../settings/notification-config.ts';
import { isAnnotationEvent } from './annotation-event.ts';
import { batchEvents, isDeferred } from './batch-events.ts';
import { notify } from './notify.ts';
import { shouldNotify } from './should-notify.ts';
import { withdraw } from './withdraw.ts';

/**
 * Notifies those whom events about annotations concern, as far as their key's triggers say so and
 * they want it: at once, or when the key's delay and batching let it go out.
 */
export const notificationReader: EventReader<Services> = {
  name: 'notifications',
  types: [...ANNOTATION_EVENTS, 'user.delete'],
  // What is deleted takes along what was notified while the service was on.
  where: sql`(type LIKE '%.delete' OR tenant_id IN (${notifyingKeys}))`,
  async handle(services, tx, events) {
    await unsubscribeDeleted(tx, events.filter(({ type }) => type === 'user.delete').map(memberOf));
    const left = await withdraw(tx, events.filter(isAnnotationEvent));
    if (left.length === 0) return;
    const byTenant = Map.groupBy(left, ({ tenantId }) => tenantId);
    const configs = await enabledNotificationConfigs(tx, [...byTenant.keys()]);
    for (const [tenantId, config] of configs) {
      const told = (byTenant.get(tenantId) ?? []).filter((event) => shouldNotify(config, event));
      if (isDeferred(config)) await batchEvents(tx, tenantId, config, told);
      else await notify(services, tx, { tenantId, threads: told.map((event) => [event]) });
    }
  },
};

const memberOf = ({ tenantId, organizationId, data }: LoggedEvent) => ({
  tenantId,
  organizationId: organizationId ?? '',
  userId: (data as { userId: string }).userId,
});
