import { z } from 'zod';
import {
  accessRole,
  batch,
  email,
  id,
  idList,
  name,
  pageSize,
  pageToken,
  resource,
  text,
} from '../../../api/fields.ts';
import { page } from '../../../api/paging.ts';
import { namesOnePlace, ONE_PLACE, placeFields } from '../places.ts';

const storedFields = {
  userId: id,
  name: name.optional(),
  email: email.optional(),
  initial: name.optional().meta({ description: 'Default: derived from the name.' }),
  accessRole: accessRole.optional().meta({
    description:
      "The role on the organization, folder or document. Default: the user's current role there, or else the key's defaultAccessRole, which is `editor` unless it was changed.",
  }),
};

/** Fields that have a column of `users` or of `grants`. All other fields are stored as metadata. */
export const USER_FIELDS = Object.keys(storedFields);

/** A user as callers write it (specification 2.9). Fields of the caller's own are kept. */
export const user = resource({
  ...storedFields,
  photoUrl: text(16_384).nullable().optional().meta({
    description: "The address of the user's picture. Other users see it.",
  }),
}).meta({ id: 'UserInput' });
export type UserInput = z.infer<typeof user>;

/** Input of add (specification 4.22) and update (specification 4.15). */
export const UsersInput = z
  .object({ ...placeFields, users: batch(user) })
  .refine(namesOnePlace, ONE_PLACE);
export type UsersInput = z.infer<typeof UsersInput>;

export const GetUsers = z
  .object({ ...placeFields, userIds: idList(30).optional(), pageSize, pageToken })
  .refine(namesOnePlace, ONE_PLACE);
export type GetUsersInput = z.infer<typeof GetUsers>;

export const DeleteUsers = z
  .object({ ...placeFields, userIds: batch(id) })
  .refine(namesOnePlace, ONE_PLACE);
export type DeleteUsersInput = z.infer<typeof DeleteUsers>;

/** A user as read operations present it (specification 2.9), with the caller's own fields. */
export const presentedUser = z
  .looseObject({
    userId: z.string(),
    name: z.string().optional(),
    email: z.string().optional(),
    initial: z.string().optional(),
    photoUrl: z.string().nullable().optional(),
    accessRole: accessRole
      .optional()
      .meta({ description: 'On the requested organization, folder or document.' }),
  })
  .meta({ id: 'User' });

export const userPage = page(presentedUser);
