import type { KeyContext } from '../../../api/context.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import { loadVisibility } from './load-visibility.ts';

/** Whether the user of the call sees one of these annotations. API keys see all. */
export async function seesAnnotation(ctx: KeyContext, annotationIds: string[]): Promise<boolean> {
  const { db, tenantId, userId, clock } = ctx;
  if (userId === undefined) return true;
  const query = { tenantId, annotationIds, userIds: [userId] };
  const visibility = await loadVisibility(db, query, unixSeconds(clock));
  return annotationIds.some((annotationId) => visibility.isVisible(annotationId, userId));
}
