/** An editor tells of its updates at most this often (decisions section 7). */
export const EVENT_INTERVAL_MS = 5_000;

interface EventTimes {
  eventAt: Date | null;
  eventDueAt: Date | null;
}

/**
 * Whether a commit tells of itself, and when what it does not tell is due. The last state is always
 * told: by a later commit, or by the sweep (due-events.ts).
 */
export function eventPlan(
  { eventAt, eventDueAt }: EventTimes,
  canTell: boolean,
  now: Date,
): EventTimes & { tell: boolean } {
  const next = eventAt === null ? now.getTime() : eventAt.getTime() + EVENT_INTERVAL_MS;
  if (next <= now.getTime() && canTell) return { tell: true, eventAt: now, eventDueAt: null };
  return {
    tell: false,
    eventAt,
    eventDueAt: eventDueAt ?? new Date(Math.max(next, now.getTime())),
  };
}
