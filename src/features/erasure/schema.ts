import { z } from 'zod';
import { batch, id } from '../../api/fields.ts';
import { CONTENTS } from '../../platform/erasure/people.ts';

export const DeleteUserData = z.object({
  userIds: batch(id),
  contents: z.enum(CONTENTS).default('keep').meta({
    description:
      'keep: what they wrote stays, from a deleted user. remove: it goes too, wherever it was copied to; what they typed into live documents is shared, and stays. What was kept cannot be found again later.',
  }),
  organizationIds: batch(id).optional().meta({
    description: 'Only what is in these organizations. Without them: everything in the key.',
  }),
});
export type DeleteUserDataInput = z.infer<typeof DeleteUserData>;

export const deletionStarted = z.object({
  jobId: z.string(),
  tasksCount: z.number().int().meta({
    description: 'Kinds of data to go through; each twice, for what is written meanwhile.',
  }),
});

export const DeletionStatus = z.object({ jobId: id });

export const deletionStatus = z.object({
  isDeleteCompleted: z.boolean(),
  tasksLeft: z.number().int(),
  lastTaskCompletedTime: z.number().int().optional().meta({ description: 'Epoch milliseconds.' }),
  receipt: z.record(z.string(), z.number().int()).optional().meta({
    description:
      'Once it is completed: how many rows of each kind were removed or made anonymous. It says nothing of who the users were; your jobId does.',
  }),
});
