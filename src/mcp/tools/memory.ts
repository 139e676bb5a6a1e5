import { z } from 'zod';
import { id, text } from '../../api/fields.ts';
import { filterVisibleItems } from '../../features/access/on-document.ts';
import { requireAccess } from '../../features/access/require-access.ts';
import { queryText, recordIds } from '../../features/memory/judgments/schema.ts';
import { addJudgments } from '../../features/memory/judgments/store-judgments.ts';
import { searchJudgments } from '../../features/memory/retrieve/find-similar.ts';
import { suggestions } from '../../features/memory/suggest/schema.ts';
import { suggestDecision } from '../../features/memory/suggest/suggest-decision.ts';
import type { AgentContext } from '../agent-context.ts';
import { shortened } from '../present-thread.ts';
import { type AnyTool, ownTool } from '../tool.ts';

/** A search reads more judgments than it returns, since the user may not read the documents of some. */
const MAX_READ = 50;
const MAX_FOUND = 10;

const MemoryQuestion = z.object({
  organizationId: id,
  documentId: id.optional().meta({
    description: 'Absent: the whole organization, which then must be open to the person.',
  }),
  query: queryText,
});

const JudgmentInput = z.object({
  organizationId: id,
  documentId: id,
  query: queryText,
  decision: z.enum(['approved', 'rejected']),
  reasoning: text(4_000).min(1, 'must not be empty'),
});

const foundPrecedents = z.object({
  judgments: z.array(
    z.object({
      query: z.string(),
      decision: z.string(),
      reasoning: z.string().optional(),
      documentId: z.string().optional(),
      reviewer: z.string().optional(),
      judgeType: z.enum(['human', 'agent']),
      similarity: z.number().meta({ description: 'From 0 to 1; 1 means the same words.' }),
    }),
  ),
});

/** A judgment with the place that it belongs to. */
interface Placed {
  organizationId?: string | null | undefined;
  documentId?: string | null | undefined;
}

/** Leaves out the judgments of other organizations, and of documents that the user may not read. */
async function filterVisible<Judgment extends Placed>(
  ctx: AgentContext,
  organizationId: string,
  judgments: Judgment[],
): Promise<Judgment[]> {
  const { userId } = ctx;
  const own = judgments.filter((judgment) => judgment.organizationId === organizationId);
  const onDocuments = own.flatMap(({ documentId }) => (documentId == null ? [] : { documentId }));
  const readable = await filterVisibleItems(ctx, ctx.db, { organizationId, userId }, onDocuments);
  const documentIds = new Set(readable.map(({ documentId }) => documentId));
  return own.filter(({ documentId }) => documentId == null || documentIds.has(documentId));
}

const search = ownTool({
  name: 'memory_search',
  title: 'Search earlier decisions',
  description:
    'Earlier decisions about items like the one described, the most similar first, as far as the person may read the documents that they are about.',
  input: MemoryQuestion,
  output: foundPrecedents,
  writes: false,
  async run(ctx, input) {
    const { query: _, ...place } = input;
    await requireAccess(ctx, { ...place, role: 'viewer' });
    const found = await searchJudgments(ctx, { ...input, limit: MAX_READ });
    const visible = await filterVisible(ctx, place.organizationId, found);
    const judgments = visible.slice(0, MAX_FOUND).map(({ reviewer, ...judgment }) => ({
      ...judgment,
      query: shortened(judgment.query),
      ...(judgment.reasoning !== undefined && { reasoning: shortened(judgment.reasoning) }),
      ...(reviewer && { reviewer: reviewer.name ?? reviewer.userId }),
    }));
    return { judgments };
  },
});

const suggest = ownTool({
  name: 'memory_suggest',
  title: 'Suggest a decision',
  description:
    'The decision that earlier ones about similar items suggest, with its confidence, reasons and caveats. Null when the person may see too few of them.',
  input: MemoryQuestion,
  output: suggestions,
  writes: false,
  async run(ctx, input) {
    const { query: _, ...place } = input;
    await requireAccess(ctx, { ...place, role: 'viewer' });
    return suggestDecision(ctx, input, (found) => filterVisible(ctx, place.organizationId, found));
  },
});

const record = ownTool({
  name: 'record_judgment',
  title: 'Record a judgment',
  description:
    'Records a decision about an item in a document as a precedent that an agent made for the person. Give the reason that a reviewer would give.',
  input: JudgmentInput,
  output: recordIds,
  writes: true,
  async run(ctx, input) {
    const { organizationId, documentId } = input;
    await requireAccess(ctx, { organizationId, documentId, role: 'editor' });
    const reviewer = { userId: ctx.userId };
    return addJudgments(ctx, { judgments: [{ ...input, reviewer, judgeType: 'agent' }] });
  },
});

export const memoryTools: AnyTool[] = [search, suggest, record];
