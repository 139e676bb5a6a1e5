import { z } from 'zod';

const suggestion = z.record(z.string(), z.unknown()).optional();

/** The data of an event about an annotation, as far as judgments are made from it. */
const eventAnnotation = z.object({
  from: z.object({ userId: z.string() }),
  visibilityConfig: z.object({ type: z.string() }),
  context: z.unknown().optional(),
  suggestion,
  comments: z.array(
    z.object({
      isDraft: z.boolean(),
      commentText: z.string(),
      from: z.object({ userId: z.string() }),
      agent: z.unknown().optional(),
    }),
  ),
  actionUser: z
    .object({ userId: z.string(), name: z.string().optional(), agent: z.unknown().optional() })
    .optional(),
  resolvedByUserId: z.string().optional(),
  previous: z.object({ suggestion }).optional(),
});

export type EventAnnotation = z.infer<typeof eventAnnotation>;

/** Returns undefined for an old event, written before its data had this form. */
export const readAnnotation = (data: unknown): EventAnnotation | undefined =>
  eventAnnotation.safeParse(data).data;

/** The user who acted, if known. */
export const actorOf = ({ actionUser, resolvedByUserId }: EventAnnotation) =>
  actionUser ?? (resolvedByUserId === undefined ? undefined : { userId: resolvedByUserId });
