import { subscriptionOperation } from '../../../api/procedures.ts';
import { followPresence } from './follow-presence.ts';
import { PresenceChanges, presenceChange } from './schema.ts';

export const presenceChanges = subscriptionOperation({
  summary: 'Follow presence in a document',
  description:
    'First all present users (`presence.state`), then each change, connected editors included. A client that reconnects receives the state again. The subscription ends with PERMISSION_DENIED within a second after access ends.',
  item: presenceChange,
})
  .input(PresenceChanges)
  .subscription(({ ctx, input }) => followPresence(ctx, input));
