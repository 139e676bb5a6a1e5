import type { z } from 'zod';

export interface EventType {
  /** Describes the event in one sentence. */
  summary: string;
  /** The schema of `data`: the resource as the read operations present it. */
  data: z.ZodType;
  example: object;
}

/** Every type of event that can be published, by its name. */
export type EventTypes = Readonly<Record<string, EventType>>;

/**
 * Checks that an event matches its documented schema, on which receivers rely. Otherwise the change
 * that would publish it fails as a whole.
 *
 * @throws Error when `types` lacks the type, or the data do not match its schema
 */
export function assertEvent(types: EventTypes, type: string, data: unknown): void {
  const parsed = types[type]?.data.safeParse(data);
  if (parsed?.success) return;
  const issue = parsed?.error.issues[0];
  const problem = issue ? `${issue.path.join('.')}: ${issue.message}` : 'it has no schema';
  throw new Error(`An event of type ${type} cannot be published: ${problem}.`);
}
