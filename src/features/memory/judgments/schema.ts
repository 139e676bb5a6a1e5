import { z } from 'zod';
import { batch, epochMs, id, name, pageToken, text } from '../../../api/fields.ts';

const MAX_TEXT = 65_536;
/** The end of the year 9999. Later times are mistakes, such as microseconds. */
const MAX_MS = 253_402_300_799_999;

export const queryText = text(MAX_TEXT)
  .refine((value) => value.trim() !== '', 'must not be empty')
  .meta({
    description: 'The description of the item. Only the first 2,000 characters are compared.',
  });

const judgeType = z.enum(['human', 'agent']);
const decision = text(100).min(1);

const newJudgment = z.object({
  query: queryText,
  decision: decision.meta({
    description:
      'approved, agree, endorse and document_approved count for the item; rejected, disagree and document_rejected against it; any other decision is stored, and counts as neutral.',
  }),
  reasoning: text(MAX_TEXT).optional(),
  organizationId: id.optional().meta({ description: 'The organization need not exist.' }),
  documentId: id.optional(),
  reviewer: z.object({ userId: id, name: name.optional() }).optional(),
  judgeType: judgeType.default('human'),
  createdAt: z.number().int().min(0).max(MAX_MS).optional().meta({
    description: 'Epoch milliseconds. Default: the current time.',
  }),
});

export interface JudgmentScope {
  organizationId?: string | undefined;
  documentId?: string | undefined;
}

/** A document id means something only within its organization. */
const isValidScope = ({ organizationId, documentId }: JudgmentScope): boolean =>
  documentId === undefined || organizationId !== undefined;
const SCOPE_ISSUE = { path: ['organizationId'], message: 'must be given with documentId' };

/** Returns the schema of an input about the judgments of a document, of an organization, or of the key. */
export const scoped = <Fields extends z.ZodRawShape>(fields: Fields) =>
  z
    .object({ organizationId: id.optional(), documentId: id.optional(), ...fields })
    .refine((input) => isValidScope(input as JudgmentScope), SCOPE_ISSUE);

export const AddJudgments = z.object({
  judgments: batch(newJudgment.refine(isValidScope, SCOPE_ISSUE)),
});
export type AddJudgmentsInput = z.infer<typeof AddJudgments>;

export const recordIds = z.object({ recordIds: z.array(z.string()) });

export const QueryJudgments = scoped({
  decision: decision.optional(),
  judgeType: judgeType.optional(),
  reviewerId: id.optional(),
  limit: z.number().int().min(1).max(100).default(20),
  pageToken,
});
export type QueryJudgmentsInput = z.infer<typeof QueryJudgments>;

const presentedJudgment = z
  .object({
    recordId: z.string(),
    query: z.string(),
    decision: z.string(),
    reasoning: z.string().optional(),
    organizationId: z.string().optional(),
    documentId: z.string().optional(),
    reviewer: z.object({ userId: z.string(), name: z.string().optional() }).optional(),
    judgeType,
    createdAt: epochMs,
  })
  .meta({ id: 'Judgment' });
export type PresentedJudgment = z.infer<typeof presentedJudgment>;

export const judgmentPage = z.object({
  data: z.object({
    results: z.array(presentedJudgment).meta({ description: 'The newest first.' }),
    total: z
      .number()
      .meta({ description: 'The number of all judgments that match, at most 10,000.' }),
  }),
  nextPageToken: z.string().optional(),
});

export const SearchJudgments = scoped({
  query: queryText,
  limit: z.number().int().min(1).max(50).default(20),
});
export type SearchJudgmentsInput = z.infer<typeof SearchJudgments>;

export const foundJudgments = z.array(
  presentedJudgment.extend({
    similarity: z.number().meta({ description: 'From 0 to 1; 1 means the same words.' }),
  }),
);
export type FoundJudgment = z.infer<typeof foundJudgments>[number];
