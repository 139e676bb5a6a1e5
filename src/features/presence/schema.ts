import { z } from 'zod';
import { batch, email, id, idList, name, text } from '../../api/fields.ts';
import { presentedEvent } from '../events/schema.ts';

const place = { organizationId: id, documentId: id };

/** The presence of a user as a caller sets it (specification 2.15). Neither document nor user need exist. */
const presenceUser = z
  .object({
    userId: id,
    name: name.optional(),
    email: email.optional(),
    status: text(64).min(1).optional().meta({ default: 'online' }),
  })
  .meta({ id: 'PresenceInput' });

/** The input of `update` (specification 4.10) and of `add`. */
export const UpdatePresence = z.object({ ...place, users: batch(presenceUser) });
export type UpdatePresenceInput = z.infer<typeof UpdatePresence>;

export const GetPresence = z.object({
  ...place,
  userIds: idList()
    .optional()
    .meta({ description: 'If absent or empty, all present users are returned.' }),
});
export type GetPresenceInput = z.infer<typeof GetPresence>;

export const DeletePresence = z.object({ ...place, userIds: batch(id) });
export type DeletePresenceInput = z.infer<typeof DeletePresence>;

/** The presence of a user as read operations and events present it. */
export const presentedPresence = z
  .object({
    userId: z.string(),
    name: z.string().optional(),
    email: z.string().optional(),
    status: z.string().meta({ description: '`offline` if the presence was not renewed for 60 s.' }),
  })
  .meta({ id: 'Presence' });
export type PresentedPresence = z.infer<typeof presentedPresence>;

export const presenceWritten = z.object({ success: z.literal(true) });

/** The presence of a user after a change, with the state before. */
export const presenceUpdate = presentedPresence.extend({ previous: presentedPresence.optional() });
export type PresenceUpdate = z.infer<typeof presenceUpdate>;

export const PresenceChanges = z.object(place);
export type PresenceChangesInput = z.infer<typeof PresenceChanges>;

/** The initial state of presence, then each change. */
export const presenceChange = z.discriminatedUnion('type', [
  presentedEvent.extend({
    type: z.literal('presence.state'),
    data: z.array(presentedPresence).meta({ description: 'All present users.' }),
  }),
  presentedEvent.extend({ type: z.literal('presence.update'), data: presenceUpdate }),
]);
export type PresenceChange = z.infer<typeof presenceChange>;
