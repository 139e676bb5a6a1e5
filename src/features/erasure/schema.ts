import { z } from 'zod';
import { batch, id } from '../../api/fields.ts';
import { CONTENTS } from '../../platform/erasure/people.ts';

/** Unknown fields are refused: a misspelt `organizationIds` would erase users everywhere. */
export const DeleteUserData = z.strictObject({
  userIds: batch(id),
  contents: z.enum(CONTENTS).default('keep').meta({
    description:
      'keep: the content that the users wrote stays, with a deleted user as author. remove: it is also deleted, including copies; text in live documents is shared and stays. Content that was kept cannot be found again later.',
  }),
  organizationIds: batch(id).optional().meta({
    description: 'Erases the users only in these organizations. Default: in the whole API key.',
  }),
});
export type DeleteUserDataInput = z.infer<typeof DeleteUserData>;

export const deletionStarted = z.object({
  jobId: z.string(),
  tasksCount: z.number().int().meta({
    description:
      'The number of tasks. Most kinds of data are searched twice, to find data that was written in the meantime.',
  }),
});

export const DeletionStatus = z.object({ jobId: id });

export const deletionStatus = z
  .object({
    isDeleteCompleted: z.boolean(),
    tasksLeft: z.number().int(),
    lastTaskCompletedTime: z.number().int().optional().meta({ description: 'Epoch milliseconds.' }),
    receipt: z.record(z.string(), z.number().int()).optional().meta({
      description:
        'After completion: the number of deleted or anonymized rows by kind. The receipt does not name the users.',
    }),
  })
  .meta({ id: 'DeletionStatus' });
