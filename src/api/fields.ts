import { z } from 'zod';
import { invalidArgument } from '../platform/errors.ts';
import {
  FREE_JSON,
  isObject,
  isStorableText,
  type JsonLimits,
  jsonProblem,
} from '../platform/json.ts';

// Schemas of fields that many operations share.

// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds the characters to refuse
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;

/**
 * A string whose length is limited in UTF-16 units. Zod's own limit would count code points, so `maxLength`
 * is only metadata here, for the OpenAPI document.
 */
const limitedString = (max: number) =>
  z
    .string()
    .meta({ maxLength: max })
    .refine((text) => text.length <= max, `must have at most ${max} characters`);

export const id = limitedString(256)
  .min(1)
  .refine(
    (text) => !CONTROL_CHARACTERS.test(text) && text.isWellFormed(),
    'must be well-formed Unicode without control characters',
  )
  // Responses use ids as keys of objects, where `__proto__` would set the prototype.
  .refine((text) => text !== '__proto__', 'must not be "__proto__"');

/** Text that can be stored, limited in UTF-16 units. */
export const text = (max: number) =>
  limitedString(max).refine(isStorableText, 'contains a character that cannot be stored');

export const name = text(1000);

export const email = z.email('must be an email address').max(320);

/** A time in outputs. */
export const epochMs = z.number().meta({ description: 'Epoch milliseconds.' });

export const idList = (max = 1000) => z.array(id).max(max);

export const batch = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(1000);

export const accessType = z
  .enum(['organizationPrivate', 'restricted', 'public'])
  .meta({ id: 'AccessType' });
export type AccessType = z.infer<typeof accessType>;
export const accessRole = z.enum(['viewer', 'editor']).meta({ id: 'AccessRole' });
export type AccessRole = z.infer<typeof accessRole>;

/** The lowest role with which users may comment on a document. Only editors may write its content. */
export const commentAccess = z.enum(['editors', 'viewers']).meta({ id: 'CommentAccess' });
export type CommentAccess = z.infer<typeof commentAccess>;
/** The role that an operation needs. A commenter is an editor, or a viewer where viewers may comment. */
export type NeededRole = AccessRole | 'commenter';

/** The agent that made something, and the run (`executionId`) in which the agent made it. */
export const agentIdentity = z
  .object({
    agentId: id,
    executionId: id.optional(),
    agentType: z.enum(['built-in', 'custom', 'external']).optional(),
    agentSource: z.enum(['internal', 'external']).optional(),
    name: name.optional(),
  })
  .meta({ id: 'Agent' });
export type AgentIdentity = z.infer<typeof agentIdentity>;

/** `data: {}`, for operations without parameters. */
export const noInput = z.object({});

/** The output of writes whose response has no `data`. */
export const noOutput = z.undefined();

/** The size of a page, `max` by default. */
export const pageSizeUpTo = (max: number) =>
  z
    .number()
    .int()
    .positive()
    .transform((size) => Math.min(size, max))
    .default(max)
    .meta({ description: `Items per page, at most ${max}; a higher number counts as ${max}.` });

export const pageSize = pageSizeUpTo(1000);

export const pageToken = z
  .string()
  .max(4096)
  .optional()
  .meta({ description: 'The token from the previous page.' });

const itemOutcome = z
  .object({
    success: z.boolean(),
    id: z.string(),
    message: z.string(),
  })
  .meta({ id: 'Outcome' });
export type ItemOutcome = z.infer<typeof itemOutcome>;

/** The response of batch operations: an outcome for each id. */
export const outcomes = z.record(z.string(), itemOutcome).meta({ id: 'Outcomes' });

const METADATA_LIMITS: JsonLimits = { maxBytes: 16_384, maxDepth: 32 };

/**
 * A resource of the caller (user, folder, document, organization). Unknown fields are stored and
 * returned, up to 16 KB.
 */
export function resource<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.looseObject(shape).superRefine((value, check) => {
    const problem = metadataProblem(metadataOf(value, Object.keys(shape)));
    if (problem) check.addIssue({ code: 'custom', message: `The metadata ${problem}.` });
  });
}

/**
 * Returns the problem with metadata, if any. After merging new fields with stored ones, callers check
 * the result again.
 */
export const metadataProblem = (metadata: Record<string, unknown>): string | undefined =>
  jsonProblem(metadata, METADATA_LIMITS);

/**
 * Limits metadata as a whole. Otherwise many small changes could make it grow without limit.
 *
 * @param path the input field with the batch, which the error names
 * @throws INVALID_ARGUMENT
 */
export function requireSmallMetadata(
  id: string,
  metadata: Record<string, unknown>,
  path: string,
): void {
  const problem = metadataProblem(metadata);
  if (!problem) return;
  const message = `The metadata of ${id}, as a whole, ${problem}.`;
  throw invalidArgument(message, { details: { issues: [{ path, message }] } });
}

/** Returns the fields of a resource that its schema does not name. */
export function metadataOf(value: object, known: readonly string[]): Record<string, unknown> {
  const metadata: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    if (!known.includes(key)) metadata[key] = field;
  }
  return metadata;
}

/**
 * A free JSON object of at most 64 KB and 32 levels. This is not one of Zod's object schemas, which would
 * copy the object and so take longer.
 */
export const freeObject = z
  .unknown()
  .superRefine((value, check) => {
    const problem = isObject(value) ? jsonProblem(value, FREE_JSON) : 'must be an object';
    if (problem) check.addIssue({ code: 'custom', message: problem, continue: false });
  })
  .meta({ type: 'object', additionalProperties: {} }) as unknown as z.ZodType<
  Record<string, unknown>,
  Record<string, unknown>
>;

/** Checks a free JSON value of at most 64 KB and 32 levels. */
export function checkFreeJson(value: unknown, check: z.core.$RefinementCtx): void {
  const problem = jsonProblem(value, FREE_JSON);
  if (problem) check.addIssue({ code: 'custom', message: problem });
}
