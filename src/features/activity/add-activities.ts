import { failed, lastOfEach, outcomeMap, succeeded } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import type { ItemOutcome } from '../../api/fields.ts';
import { timeOf } from '../../api/past-times.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { requireOrganization } from '../directory/organizations/organizations.ts';
import { type ActivityToAppend, appendActivities } from './append-activities.ts';
import type { AddActivitiesInput, NewActivity } from './schema.ts';
import { getActivityConfig } from './settings/activity-config.ts';

type Named = NewActivity & { activityId: string; createdAt: Date };

/**
 * Adds the caller's own records to the log of an organization.
 *
 * @throws FAILED_PRECONDITION while activity logs are disabled
 */
export function addActivities(
  ctx: KeyContext,
  input: AddActivitiesInput,
): Promise<Record<string, ItemOutcome>> {
  const named = input.activities.map(
    (activity, index): Named => ({
      ...activity,
      activityId: activity.activityId ?? newId(),
      createdAt: timeIn(ctx, activity, index),
    }),
  );
  const batch = lastOfEach(named, ({ activityId }) => activityId);
  return ctx.db.transaction(async (tx) => {
    const { tenantId } = ctx;
    const { activityServiceConfig } = await getActivityConfig({ db: tx, tenantId });
    if (!activityServiceConfig.isEnabled) throw disabled();
    await requireOrganization(tx, tenantId, input.organizationId);
    const common = {
      tenantId,
      organizationId: input.organizationId,
      documentId: input.documentId ?? null,
      isImmutable: activityServiceConfig.immutable ?? false,
    };
    const facts = batch.map((activity) => factsOf(activity, common));
    const written = await appendActivities(tx, facts);
    return outcomesOf(batch, new Set(written.map(({ id }) => id)));
  });
}

function timeIn(ctx: KeyContext, { timestamp }: NewActivity, index: number): Date {
  const path = `activities[${index}].timestamp`;
  return new Date(timeOf(ctx, timestamp, { now: ctx.clock.now(), path }));
}

const factsOf = (
  { activityId, documentId, featureType, actionType, createdAt, timestamp, ...content }: Named,
  common: Pick<ActivityToAppend, 'tenantId' | 'organizationId' | 'documentId' | 'isImmutable'>,
): ActivityToAppend => ({
  ...common,
  ...(documentId !== undefined && { documentId }),
  id: activityId,
  featureType,
  actionType,
  userId: content.actionUser?.userId ?? null,
  content,
  createdAt,
});

const outcomesOf = (batch: Named[], written: Set<string>) =>
  outcomeMap(
    batch.map(({ activityId }) =>
      written.has(activityId)
        ? succeeded(activityId, 'Activity added.')
        : failed(activityId, 'Activity already exists.'),
    ),
  );

const disabled = () =>
  new AppError('FAILED_PRECONDITION', 'Activity logs are disabled. Enable them first.');
