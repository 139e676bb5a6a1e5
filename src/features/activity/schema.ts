import { z } from 'zod';
import { batch, freeObject, id, pageSize, pageToken, resource, text } from '../../api/fields.ts';
import { importedTime } from '../../api/imported-times.ts';
import { page } from '../../api/paging.ts';

const actionUser = resource({
  userId: id,
  name: text(1000).optional(),
  email: text(320).optional(),
});

const typeName = text(100).min(1);

const newActivity = z
  .object({
    activityId: id.optional().meta({ description: 'Repeating an id creates no second record.' }),
    featureType: typeName.meta({
      description: 'The kind of the target, e.g. `comment` or `invoice`.',
    }),
    actionType: typeName.meta({ description: 'The action, e.g. `comment.add`.' }),
    actionUser: actionUser.optional(),
    documentId: id.optional().meta({ description: 'Default: the documentId of the call.' }),
    timestamp: importedTime,
    displayMessageTemplate: text(4096).optional(),
    displayMessageTemplateData: freeObject.optional(),
    data: freeObject.optional(),
  })
  .meta({ id: 'NewActivity' });
export type NewActivity = z.infer<typeof newActivity>;

export const AddActivities = z.object({
  organizationId: id,
  documentId: id.optional(),
  activities: batch(newActivity),
});
export type AddActivitiesInput = z.infer<typeof AddActivities>;

const typeNames = z.array(typeName).max(30).optional();

export const GetActivities = z.object({
  organizationId: id,
  documentId: id.optional(),
  featureTypes: typeNames,
  actionTypes: typeNames,
  userId: id.optional(),
  order: z.enum(['asc', 'desc']).default('desc'),
  pageSize,
  pageToken,
});
export type GetActivitiesInput = z.infer<typeof GetActivities>;

/** An export is a file that people read from its beginning, so the oldest records come first. */
export const ExportActivities = GetActivities.extend({
  order: GetActivities.shape.order.default('asc'),
});

export const VerifyActivities = z.object({ organizationId: id });

const presentedActivity = z
  .object({
    id: z.string(),
    position: z.number().int().meta({ description: 'The position in the chain, counted from 1.' }),
    featureType: z.string(),
    actionType: z.string(),
    timestamp: z.number().int().meta({ description: 'Epoch milliseconds.' }),
    metadata: z.object({
      apiKey: z.string(),
      organizationId: z.string(),
      documentId: z.string().optional(),
    }),
    actionUser: z.looseObject({ userId: z.string() }).optional(),
    displayMessageTemplate: z.string().optional(),
    displayMessageTemplateData: z.record(z.string(), z.unknown()).optional(),
    data: z.unknown().optional(),
    immutable: z.boolean(),
    previousHash: z.string().meta({ description: 'SHA-256 of the previous record.' }),
    hash: z.string(),
    erasedAt: z.number().int().optional().meta({
      description: 'The time at which a user was erased from the record, in epoch milliseconds.',
    }),
  })
  .meta({ id: 'Activity' });
export type PresentedActivity = z.infer<typeof presentedActivity>;

export const activityPage = page(presentedActivity);

export const verification = z.object({
  valid: z.boolean(),
  records: z.number().int().meta({ description: 'The number of verified records.' }),
  erased: z
    .number()
    .int()
    .meta({ description: 'The number of verified records from which a user was erased.' }),
  hash: z.string().meta({
    description:
      'The hash of the last record. A copy kept elsewhere can prove later that the chain is unchanged.',
  }),
  problem: z
    .object({
      kind: z.enum(['changed', 'missing', 'inserted']),
      position: z.number().int(),
      id: z.string().optional(),
    })
    .optional()
    .meta({ description: 'The first record that was changed, removed or inserted.' }),
});
export type Verification = z.infer<typeof verification>;
