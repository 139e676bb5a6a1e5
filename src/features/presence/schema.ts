import { z } from 'zod';
import { batch, email, id, idList, name, text } from '../../api/fields.ts';

const place = { organizationId: id, documentId: id };

/** Specification 2.15. Presence is kept by ids, so neither document nor user need exist. */
const presenceUser = z
  .object({
    userId: id,
    name: name.optional(),
    email: email.optional(),
    status: text(64).min(1).default('online'),
  })
  .meta({ id: 'PresenceInput' });

/** Input of update (4.10) and add. */
export const UpdatePresence = z.object({ ...place, users: batch(presenceUser) });
export type UpdatePresenceInput = z.infer<typeof UpdatePresence>;

export const GetPresence = z.object({
  ...place,
  userIds: idList().optional().meta({ description: 'Absent or empty: everybody.' }),
});
export type GetPresenceInput = z.infer<typeof GetPresence>;

export const DeletePresence = z.object({ ...place, userIds: batch(id) });
export type DeletePresenceInput = z.infer<typeof DeletePresence>;

/** A presence user as read operations and events present it. */
export const presentedPresence = z
  .object({
    userId: z.string(),
    name: z.string().optional(),
    email: z.string().optional(),
    status: z.string().meta({ description: '`offline` once it was not renewed for 60 s.' }),
  })
  .meta({ id: 'Presence' });
export type PresentedPresence = z.infer<typeof presentedPresence>;

export const presenceWritten = z.object({ success: z.literal(true) });
