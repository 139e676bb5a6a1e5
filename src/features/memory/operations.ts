import { apiKeyOperation, router } from '../../api/procedures.ts';
import { alertsRouter } from './alerts/operations.ts';
import { judgment, judgmentsRouter } from './judgments/operations.ts';
import { foundJudgments, SearchJudgments } from './judgments/schema.ts';
import { searchJudgments } from './retrieve/search-judgments.ts';
import { SuggestDecision, suggestions } from './suggest/schema.ts';
import { suggestDecision } from './suggest/suggest-decision.ts';

export const memoryRouter = router({
  judgments: judgmentsRouter,
  alerts: alertsRouter,

  search: apiKeyOperation({
    path: '/v2/memory/search',
    summary: 'Search judgments',
    description: 'The judgments of items like the one described, the most similar first.',
    message: 'Judgment(s) found successfully.',
    fromReplica: true,
    example: {
      request: { query: 'Renewal with a discount', organizationId: 'acme', limit: 10 },
      response: [{ recordId: '4fTq8bV1nXcL0sKzR7Wd', ...judgment, similarity: 0.71 }],
    },
  })
    .input(SearchJudgments)
    .output(foundJudgments)
    .query(({ ctx, input }) => searchJudgments(ctx, input)),

  suggest: apiKeyOperation({
    path: '/v2/memory/suggest',
    summary: 'Suggest decision',
    description:
      'What was decided about items like this one, in the narrowest scope that has evidence: the document, the organization, or all content of the key. A place without judgments leaves it to the next wider one.',
    message: 'Decision suggested successfully.',
    envelope: 'bare',
    fromReplica: true,
    example: {
      request: { query: 'Discount of 15 percent for a renewal', organizationId: 'acme' },
      response: {
        primary: {
          recommendation: 'approve',
          confidence: 0.86,
          basedOn: 4,
          scope: 'organization',
          scopeLabel: 'This organization',
          topReasons: ['Within what sales may grant by itself.'],
          uniqueReviewers: 3,
          caveats: [],
        },
        conflict: null,
      },
    },
  })
    .input(SuggestDecision)
    .output(suggestions)
    .query(({ ctx, input }) => suggestDecision(ctx, input)),
});
