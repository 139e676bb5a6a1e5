import { z } from 'zod';

const suggestion = z.record(z.string(), z.unknown()).optional();
const status = z.object({ id: z.string(), type: z.string() });

/** The data of an event about an annotation, as far as judgments are made from it. */
const eventAnnotation = z.object({
  type: z.enum(['comment', 'suggestion']),
  from: z.object({ userId: z.string() }),
  status,
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
  previous: z.object({ status, suggestion }).optional(),
});

type ParsedAnnotation = z.infer<typeof eventAnnotation>;

export interface EventAnnotation extends Omit<ParsedAnnotation, 'actionUser' | 'resolvedByUserId'> {
  /** The user who acted, if known. */
  actor: { userId: string; name?: string | undefined; isAgent: boolean } | undefined;
}

/** Returns undefined for an old event, written before its data had this form. */
export function readAnnotation(data: unknown): EventAnnotation | undefined {
  const parsed = eventAnnotation.safeParse(data);
  if (!parsed.success) return undefined;
  const { actionUser, resolvedByUserId, ...annotation } = parsed.data;
  return { ...annotation, actor: actorOf(actionUser, resolvedByUserId) };
}

function actorOf(
  actionUser: ParsedAnnotation['actionUser'],
  resolvedByUserId: string | undefined,
): EventAnnotation['actor'] {
  if (actionUser) {
    const { userId, name, agent } = actionUser;
    return { userId, ...(name !== undefined && { name }), isAgent: Boolean(agent) };
  }
  return resolvedByUserId === undefined ? undefined : { userId: resolvedByUserId, isAgent: false };
}
