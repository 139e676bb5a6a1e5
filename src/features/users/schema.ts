import { z } from 'zod';
import { accessRole, batch, email, id, name, resource } from '../../api/fields.ts';

const userFields = {
  userId: id,
  name: name.optional(),
  email: email.optional(),
  initial: name.optional().meta({ description: 'Made from name when absent.' }),
  accessRole: accessRole.optional(),
};

/** Fields that have a column, or stand on the grant; the rest is kept as metadata. */
export const USER_FIELDS = Object.keys(userFields);

/** Specification 2.9; fields of the caller's own are kept. */
export const user = resource(userFields);
export type UserInput = z.infer<typeof user>;

export const AddUsers = z
  .object({
    organizationId: id,
    documentId: id.optional(),
    folderId: id.optional(),
    users: batch(user),
  })
  .refine((input) => input.documentId === undefined || input.folderId === undefined, {
    path: ['folderId'],
    message: 'must not be given together with documentId',
  });
export type AddUsersInput = z.infer<typeof AddUsers>;
