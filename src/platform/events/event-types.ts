import type { z } from 'zod';

/** A type of event (decisions section 7). */
export interface EventType {
  /** What has happened, in one sentence. */
  summary: string;
  /** What `data` holds: the resource as the read operations present it. */
  data: z.ZodType;
  example: object;
}

/** Every type that can be told, by its name. */
export type EventTypes = Readonly<Record<string, EventType>>;

/**
 * Receivers rely on what the documents promise, so an event that breaks the promise is never
 * written: the change that told it fails, and nothing is half true.
 *
 * @throws Error when its type is not among these, or its data do not fit
 */
export function assertEvent(types: EventTypes, type: string, data: unknown): void {
  const parsed = types[type]?.data.safeParse(data);
  if (parsed?.success) return;
  const issue = parsed?.error.issues[0];
  const problem = issue ? `${issue.path.join('.')}: ${issue.message}` : 'it has no schema';
  throw new Error(`An event of type ${type} cannot be told: ${problem}.`);
}
