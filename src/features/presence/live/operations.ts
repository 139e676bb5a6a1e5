import { subscriptionOperation } from '../../../api/procedures.ts';
import { followPresence } from './follow-presence.ts';
import { PresenceChanges, presenceChange } from './schema.ts';

export const presenceChanges = subscriptionOperation({
  summary: 'Follow presence in a document',
  description:
    'First everybody who is present (`presence.state`), then each change, connected editors included. Whoever connects again begins with the state. It ends with PERMISSION_DENIED within a second when access ends.',
  item: presenceChange,
})
  .input(PresenceChanges)
  .subscription(({ ctx, input }) => followPresence(ctx, input));
