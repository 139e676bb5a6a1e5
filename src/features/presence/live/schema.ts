import { z } from 'zod';
import { id } from '../../../api/fields.ts';
import { presentedEvent } from '../../events/schema.ts';
import { presentedPresence } from '../schema.ts';

export const PresenceChanges = z.object({ organizationId: id, documentId: id });
export type PresenceChangesInput = z.infer<typeof PresenceChanges>;

const state = presentedEvent.extend({
  type: z.literal('presence.state'),
  data: z.array(presentedPresence).meta({ description: 'All present users.' }),
});

const updated = presentedPresence.extend({ previous: presentedPresence.optional() });
export type PresenceUpdate = z.infer<typeof updated>;

const update = presentedEvent.extend({ type: z.literal('presence.update'), data: updated });

/** The initial state of presence, then each change. */
export const presenceChange = z.discriminatedUnion('type', [state, update]);
export type PresenceChange = z.infer<typeof presenceChange>;
