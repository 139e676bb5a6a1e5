import { z } from 'zod';
import { accessRole, accessType, id } from '../../api/fields.ts';
import { namesOnePlace, ONE_PLACE, placeFields } from '../access/places.ts';
import { accessContext, permissionEntry } from './schema.ts';

export const ExplainPermissions = z
  .object({ ...placeFields, userId: id })
  .refine(namesOnePlace, ONE_PLACE);
export type ExplainInput = z.infer<typeof ExplainPermissions>;

const step = z
  .object({
    step: z.enum(['accessType', 'grant', 'noGrant']).meta({
      description:
        '`accessType`: the effective access type. `grant`: a place where a grant may exist. `noGrant`: the result without a grant.',
    }),
    resource: z
      .object({ type: z.enum(['organization', 'folder', 'document']), id: z.string() })
      .optional()
      .meta({
        description: 'The source of the access type, or the place where a grant was looked for.',
      }),
    accessType: accessType.optional(),
    outcome: z.enum(['absent', 'expired', 'restricted', 'decides']).optional().meta({
      description:
        'The result of looking for a grant. `restricted`: a grant that does not apply here.',
    }),
    accessRole: accessRole.optional(),
    expiresAt: z.number().optional().meta({ description: 'Unix seconds.' }),
    context: accessContext.optional(),
    message: z.string(),
  })
  .meta({ id: 'ExplanationStep' });
export type ExplanationStep = z.infer<typeof step>;

export const explanation = z
  .object({
    ...placeFields,
    userId: z.string(),
    decision: permissionEntry,
    steps: z.array(step).meta({ description: 'In the order of the decision.' }),
  })
  .meta({ id: 'Explanation' });
export type Explanation = z.infer<typeof explanation>;
