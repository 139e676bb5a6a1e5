/** An editor publishes its updates at most this often (decisions section 7). */
export const EVENT_INTERVAL_MS = 5_000;

interface EventTimes {
  eventAt: Date | null;
  eventDueAt: Date | null;
}

/**
 * Decides whether a commit publishes an event now, and otherwise when the event is due. The last state
 * is always published: by a later commit, or in the background (due-events.ts).
 */
export function eventPlan(
  { eventAt, eventDueAt }: EventTimes,
  canPublish: boolean,
  now: Date,
): EventTimes & { publish: boolean } {
  const next = eventAt === null ? now.getTime() : eventAt.getTime() + EVENT_INTERVAL_MS;
  if (next <= now.getTime() && canPublish) return { publish: true, eventAt: now, eventDueAt: null };
  return {
    publish: false,
    eventAt,
    eventDueAt: eventDueAt ?? new Date(Math.max(next, now.getTime())),
  };
}
