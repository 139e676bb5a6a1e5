import { noInput } from '../../../api/fields.ts';
import { apiKeyOperation, router } from '../../../api/procedures.ts';
import { getActivityConfig, updateActivityConfig } from './activity-config.ts';
import { activityConfig, UpdateActivityConfig } from './schema.ts';

const response = {
  activityServiceConfig: {
    isEnabled: true,
    immutable: true,
    triggers: { comment: { added: true, deleted: false } },
  },
};

export const activityConfigRouter = router({
  get: apiKeyOperation({
    path: '/v2/workspace/activityconfig/get',
    summary: 'Get the activity log configuration',
    description: 'Whether activities are recorded, and for which triggers.',
    message: 'Activity config retrieved successfully.',
    example: { request: {}, response },
  })
    .input(noInput)
    .output(activityConfig)
    .query(({ ctx }) => getActivityConfig(ctx, ctx.db)),

  update: apiKeyOperation({
    path: '/v2/workspace/activityconfig/update',
    summary: 'Update the activity log configuration',
    description:
      'Changes the fields and triggers that are given; at least one is required. When activity logs are enabled for the first time, every comment trigger is on and the log is immutable, unless this call or an earlier one sets them otherwise.',
    message: 'Activity config updated successfully.',
    example: {
      request: {
        activityServiceConfig: { isEnabled: true, triggers: { comment: { deleted: false } } },
      },
      response,
    },
  })
    .input(UpdateActivityConfig)
    .output(activityConfig)
    .mutation(({ ctx, input }) => updateActivityConfig(ctx, input)),
});
