import { lastOfEach, outcomesOf } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import type { ItemOutcome } from '../../api/fields.ts';
import { timeOf } from '../../api/imported-times.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { requireOrganization } from '../directory/organizations/organizations.ts';
import { appendActivities } from './append-activities.ts';
import type { AddActivitiesInput, NewActivity } from './schema.ts';
import { getActivityConfig } from './settings/activity-config.ts';

/** @throws FAILED_PRECONDITION while activity logs are disabled */
export function addActivities(
  ctx: KeyContext,
  input: AddActivitiesInput,
): Promise<Record<string, ItemOutcome>> {
  const { tenantId, db } = ctx;
  const { organizationId } = input;
  const toRecord = (activity: NewActivity, index: number) => recordOf(ctx, input, activity, index);
  const batch = lastOfEach(input.activities.map(toRecord), ({ id }) => id);
  return db.transaction(async (tx) => {
    const { activityServiceConfig } = await getActivityConfig(ctx, tx);
    if (!activityServiceConfig.isEnabled) {
      throw new AppError(
        'FAILED_PRECONDITION',
        'Activity logs are disabled. Enable them first: activityConfig.update.',
      );
    }
    await requireOrganization(tx, tenantId, organizationId);
    const isImmutable = activityServiceConfig.immutable ?? false;
    const records = batch.map((record) => ({ ...record, tenantId, isImmutable }));
    const written = await appendActivities(tx, records);
    const ids = batch.map(({ id }) => id);
    return outcomesOf(ids, written, 'Activity added.', 'Activity already exists.');
  });
}

function recordOf(
  ctx: KeyContext,
  input: AddActivitiesInput,
  activity: NewActivity,
  index: number,
) {
  const { activityId, documentId, featureType, actionType, timestamp, ...content } = activity;
  const path = `activities[${index}].timestamp`;
  return {
    id: activityId ?? newId(),
    organizationId: input.organizationId,
    documentId: documentId ?? input.documentId ?? null,
    featureType,
    actionType,
    userId: content.actionUser?.userId ?? null,
    content,
    createdAt: new Date(timeOf(ctx, timestamp, { now: ctx.clock.now(), path })),
  };
}
