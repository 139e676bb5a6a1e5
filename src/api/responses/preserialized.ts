import { z } from 'zod';
import { PreserializedJson } from '../../platform/json.ts';

/**
 * Responses that contain equal parts many times, such as the permissions of a thousand users. Each
 * distinct part is validated and serialized once.
 *
 *     .output(preserializedRecord(userPermissions))
 *     .query(() => Object.fromEntries(ids.map((id) => [id, part])))
 *
 * The part is the result of `preserialize(userPermissions, …)`.
 */

/** Validates and serializes a part. Its type is that of the value, which clients receive. */
export const preserialize = <Part extends z.ZodType>(
  part: Part,
  value: z.input<Part>,
): z.output<Part> =>
  new PreserializedJson([JSON.stringify(part.parse(value))]) as unknown as z.output<Part>;

/** A record whose values are either all preserialized, or validated here. */
export function preserializedRecord<Part extends z.ZodType>(
  part: Part,
): z.ZodRecord<z.ZodString, Part> {
  const record = z.record(z.string(), part);
  return z.withParser(record, (value) => (isPreserialized(value) ? value : z.INVALID));
}

const isPreserialized = (value: unknown): value is Record<string, never> =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((part) => part instanceof PreserializedJson);

/**
 * A list of long resources that one presenter makes, with a schema that strips nothing. Validating them
 * takes a fifth of the time of an answer and changes nothing. Their events are validated, and tests compare
 * answers with the schema.
 */
export const presentedList = <Item extends z.ZodType>(item: Item): z.ZodArray<Item> =>
  z.withParser(z.array(item), (value) => (Array.isArray(value) ? value : z.INVALID));
