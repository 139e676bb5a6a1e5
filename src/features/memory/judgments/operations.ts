import { apiKeyOperation, router } from '../../../api/procedures.ts';
import { addJudgments } from './add-judgments.ts';
import { queryJudgments } from './query-judgments.ts';
import { AddJudgments, judgmentPage, QueryJudgments, recordIds } from './schema.ts';

export const judgment = {
  query: 'Discount of 20 percent for a renewal',
  decision: 'approved',
  reasoning: 'Within what sales may grant by itself.',
  organizationId: 'acme',
  reviewer: { userId: 'ada', name: 'Ada Lovelace' },
  judgeType: 'human' as const,
  createdAt: 1_790_000_000_000,
};

export const judgmentsRouter = router({
  add: apiKeyOperation({
    path: '/v2/memory/judgments/add',
    addsContent: true,
    summary: 'Add judgments',
    description:
      'Adds decisions about items as precedents. Approvals, acceptances and rejections of annotations and suggestions become judgments automatically.',
    message: 'Judgment(s) added successfully.',
    example: {
      request: { judgments: [judgment] },
      response: { recordIds: ['4fTq8bV1nXcL0sKzR7Wd'] },
    },
  })
    .input(AddJudgments)
    .output(recordIds)
    .mutation(({ ctx, input }) => addJudgments(ctx, input)),

  query: apiKeyOperation({
    path: '/v2/memory/judgments/query',
    summary: 'Query judgments',
    description: 'Judgments by their fields, the newest first, a page at a time.',
    message: 'Judgment(s) retrieved successfully.',
    envelope: 'page',
    fromReplica: true,
    example: {
      request: { organizationId: 'acme', decision: 'approved', limit: 50 },
      response: { results: [{ recordId: '4fTq8bV1nXcL0sKzR7Wd', ...judgment }], total: 1 },
    },
  })
    .input(QueryJudgments)
    .output(judgmentPage)
    .query(({ ctx, input }) => queryJudgments(ctx, input)),
});
