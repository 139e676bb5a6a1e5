import { z } from 'zod';
import { id, text } from '../../api/fields.ts';
import { allows } from '../../features/access/access.ts';
import { loadAccess } from '../../features/access/load-access.ts';
import { requireAccess } from '../../features/access/require-access.ts';
import { queryText, recordIds } from '../../features/memory/judgments/schema.ts';
import { addJudgments } from '../../features/memory/judgments/store-judgments.ts';
import { searchJudgments } from '../../features/memory/retrieve/find-similar.ts';
import type { Candidate } from '../../features/memory/retrieve/rank.ts';
import { suggestions } from '../../features/memory/suggest/schema.ts';
import { suggestDecision } from '../../features/memory/suggest/suggest-decision.ts';
import { unixSeconds } from '../../platform/clock.ts';
import type { AgentContext } from '../agent-context.ts';
import { truncate } from '../present-thread.ts';
import { type AnyTool, toolWithHandler } from '../tool.ts';

const MAX_JUDGMENTS = 10;

const MemoryQuestion = z.object({
  organizationId: id,
  documentId: id.optional().meta({
    description: 'By default, the whole organization, to which the person must then have access.',
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

/**
 * Leaves out judgments of other organizations, of deleted documents, and of documents that the user may not
 * read. Judgments about the whole organization are left out if the user has no access to the organization.
 */
async function filterVisible(
  { db, tenantId, userId, clock }: AgentContext,
  organizationId: string,
  judgments: Candidate[],
): Promise<Candidate[]> {
  const ofOrganization = judgments.filter(
    (judgment) => judgment.organizationId === organizationId && !judgment.isDocumentDeleted,
  );
  const documentIds = [...new Set(ofOrganization.flatMap(({ documentId }) => documentId ?? []))];
  const query = { tenantId, organizationId, userIds: [userId], folderIds: [], documentIds };
  const facts = await loadAccess(db, query);
  const now = unixSeconds(clock);
  return ofOrganization.filter(({ documentId }) => {
    const scope = { organizationId, ...(documentId !== null && { documentId }) };
    return allows(facts.accessToPlace(scope, userId, now), 'viewer');
  });
}

const searchMemory = toolWithHandler({
  name: 'memory_search',
  title: 'Search earlier decisions',
  description:
    'Earlier decisions about items like the one described, the most similar first. Decisions about documents that the person may not read are left out.',
  input: MemoryQuestion,
  output: foundPrecedents,
  writes: false,
  async run(ctx, input) {
    const { query: _, ...scope } = input;
    await requireAccess(ctx, { ...scope, role: 'viewer' });
    const found = await searchJudgments(ctx, { ...input, limit: MAX_JUDGMENTS }, (all) =>
      filterVisible(ctx, scope.organizationId, all),
    );
    const judgments = found.map(({ reviewer, ...judgment }) => ({
      ...judgment,
      query: truncate(judgment.query),
      ...(judgment.reasoning !== undefined && { reasoning: truncate(judgment.reasoning) }),
      ...(reviewer && { reviewer: reviewer.name ?? reviewer.userId }),
    }));
    return { judgments };
  },
});

const suggestByMemory = toolWithHandler({
  name: 'memory_suggest',
  title: 'Suggest a decision',
  description:
    'The decision that earlier decisions about similar items suggest, with its confidence, reasons and caveats. Null if the person may see too few earlier decisions.',
  input: MemoryQuestion,
  output: suggestions,
  writes: false,
  async run(ctx, input) {
    const { query: _, ...scope } = input;
    await requireAccess(ctx, { ...scope, role: 'viewer' });
    return suggestDecision(ctx, input, (found) => filterVisible(ctx, scope.organizationId, found));
  },
});

const recordJudgment = toolWithHandler({
  name: 'record_judgment',
  title: 'Record a judgment',
  description:
    'Records a decision about an item in a document as a precedent, marked as made by an agent for the person. Give the reason that a reviewer would give.',
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

export const memoryTools: AnyTool[] = [searchMemory, suggestByMemory, recordJudgment];
