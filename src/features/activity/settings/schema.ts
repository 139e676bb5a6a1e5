import { z } from 'zod';
import { atLeastOneOf } from '../../settings/service-config.ts';
import { triggers } from '../../settings/triggers.ts';

/** The settings of activity logs (specification 2.5). */
const activityServiceConfig = z.object({
  isEnabled: z.boolean(),
  immutable: z.boolean().optional(),
  triggers: triggers.optional(),
});
export type ActivityServiceConfig = z.infer<typeof activityServiceConfig>;

export const activityConfig = z.object({ activityServiceConfig }).meta({ id: 'ActivityConfig' });
export type ActivityConfig = z.infer<typeof activityConfig>;

export const UpdateActivityConfig = z.object({
  activityServiceConfig: atLeastOneOf(activityServiceConfig.partial().shape),
});
export type UpdateActivityConfigInput = z.infer<typeof UpdateActivityConfig>;
