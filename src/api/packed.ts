import { z } from 'zod';
import { PreserializedJson } from '../platform/json.ts';

/**
 * Answers in which the same part stands many times, as the permissions of a thousand users do: each
 * different part is checked and written once.
 *
 *     .output(packedRecord(userPermissions))
 *     .query(() => Object.fromEntries(ids.map((id) => [id, packed])))
 *
 * where `packed` comes from `pack(userPermissions, …)`.
 */

/** Checks a part and writes it. Typed as what it stands for, which it is again once it was sent. */
export const pack = <Part extends z.ZodType>(part: Part, value: z.input<Part>): z.output<Part> =>
  new PreserializedJson(JSON.stringify(part.parse(value))) as unknown as z.output<Part>;

/** A record whose values were packed already, or were not and are checked here. */
export function packedRecord<Part extends z.ZodType>(part: Part): z.ZodRecord<z.ZodString, Part> {
  const record = z.record(z.string(), part);
  return z.withParser(record, (value) => (isPacked(value) ? value : z.INVALID));
}

const isPacked = (value: unknown): value is Record<string, never> =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((part) => part instanceof PreserializedJson);
