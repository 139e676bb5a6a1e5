import type { KeyContext } from '../../../api/context.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { NamedUserObject } from '../annotation-row.ts';
import { presentAnnotation } from '../present-annotation.ts';
import { annotationEvent, wantsNotification } from './annotation-event.ts';
import type { Change } from './change-annotation.ts';
import { updateAnnotationRows } from './save-annotations.ts';

/** Writes changed annotations, which the caller has locked, and their events. */
export async function saveChanges(
  ctx: KeyContext,
  tx: Transaction,
  changes: Change[],
  event: { actionUser: NamedUserObject | undefined; triggerNotification?: boolean | undefined },
): Promise<void> {
  const changed = changes.filter((change) => change.types.length > 0);
  const rows = changed.map((change) => change.after);
  await updateAnnotationRows(tx, ctx.tenantId, rows);
  const details = {
    actionUser: event.actionUser,
    triggerNotification: wantsNotification(ctx, event.triggerNotification),
  };
  const events = changed.values().flatMap(({ before, after, types }) => {
    const previous = presentAnnotation(ctx.tenantId, before);
    return types.map((type) => annotationEvent(ctx, type, after, { ...details, previous }));
  });
  await ctx.events.append(tx, ctx.tenantId, events);
}
