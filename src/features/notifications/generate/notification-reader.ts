import type { Services } from '../../../api/context.ts';
import type { EventReader } from '../../../platform/events/event-reader.ts';
import { enabledNotificationConfigs } from '../../settings/notification-config.ts';
import { isAnnotationEvent } from './annotation-event.ts';
import { holdEvents, isHeld } from './hold-events.ts';
import { isTold } from './is-told.ts';
import { notify } from './notify.ts';
import { withdraw } from './withdraw.ts';

/**
 * Notifies those whom events about annotations concern, as far as their key's triggers say so and
 * they want it: at once, or when the key's delay and batching let it go out.
 */
export const notificationReader: EventReader<Services> = {
  name: 'notifications',
  async handle(services, tx, events) {
    const byTenant = Map.groupBy(events.filter(isAnnotationEvent), ({ tenantId }) => tenantId);
    if (byTenant.size === 0) return;
    const configs = await enabledNotificationConfigs(tx, [...byTenant.keys()]);
    for (const [tenantId, own] of byTenant) {
      // Also where the service is off by now: what was made before goes with what it is about.
      const left = await withdraw(tx, tenantId, own);
      const config = configs.get(tenantId);
      if (!config) continue;
      const told = left.filter((event) => isTold(config, event));
      if (isHeld(config)) await holdEvents(tx, tenantId, config, told);
      else await notify(services, tx, { tenantId, threads: told.map((event) => [event]) });
    }
  },
};
