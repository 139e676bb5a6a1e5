import { z } from 'zod';
import { noInput } from '../../api/fields.ts';
import { apiKeyOperation, router } from '../../api/procedures.ts';
import { dismissAlert, getAlertConfig, listAlerts, updateAlertConfig } from './alerts/alerts.ts';
import { exampleAlert } from './alerts/events.ts';
import {
  type AlertConfig,
  alertConfig,
  DismissAlert,
  dismissResult,
  presentedAlert,
  UpdateAlertConfig,
} from './alerts/schema.ts';
import { queryJudgments } from './judgments/query-judgments.ts';
import {
  AddJudgments,
  foundJudgments,
  judgmentPage,
  QueryJudgments,
  recordIds,
  SearchJudgments,
} from './judgments/schema.ts';
import { addJudgments } from './judgments/store-judgments.ts';
import { searchJudgments } from './retrieve/find-similar.ts';
import { SuggestDecision, suggestions } from './suggest/schema.ts';
import { suggestDecision } from './suggest/suggest-decision.ts';

const judgment = {
  query: 'Discount of 20 percent for a renewal',
  decision: 'approved',
  reasoning: 'Within the discount that sales may grant.',
  organizationId: 'acme',
  reviewer: { userId: 'ada', name: 'Ada Lovelace' },
  judgeType: 'human' as const,
  createdAt: 1_790_000_000_000,
};

const judgmentsRouter = router({
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
    description: 'The judgments with the given fields, the newest first, a page at a time.',
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

const config: AlertConfig = {
  enabled: true,
  maxAlertsPerWeek: 3,
  enabledAlertTypes: ['approval-rate-drift', 'conflicting-decisions'],
  severityThreshold: 'medium',
};

const configRouter = router({
  get: apiKeyOperation({
    path: '/v2/memory/alerts/config/get',
    summary: 'Get the alert configuration',
    description:
      'The types and severities of findings that raise an alert, and the most alerts in a week.',
    message: 'Alert config retrieved successfully.',
    example: { request: {}, response: config },
  })
    .input(noInput)
    .output(alertConfig)
    .query(({ ctx }) => getAlertConfig(ctx)),

  update: apiKeyOperation({
    path: '/v2/memory/alerts/config/update',
    summary: 'Update the alert configuration',
    description: 'Changes the given fields. At least one is required.',
    message: 'Alert config updated successfully.',
    example: { request: config, response: config },
  })
    .input(UpdateAlertConfig)
    .output(alertConfig)
    .mutation(({ ctx, input }) => updateAlertConfig(ctx, input)),
});

const alertsRouter = router({
  config: configRouter,

  list: apiKeyOperation({
    path: '/v2/memory/alerts/list',
    summary: 'List alerts',
    description: 'The active alerts, at most 50, the most severe and newest first.',
    message: 'Alerts retrieved successfully.',
    envelope: 'bare',
    example: { request: {}, response: [exampleAlert] },
  })
    .input(noInput)
    .output(z.array(presentedAlert))
    .query(({ ctx }) => listAlerts(ctx)),

  dismiss: apiKeyOperation({
    path: '/v2/memory/alerts/dismiss',
    summary: 'Dismiss an alert',
    description: 'Removes the alert from the list, and records the time and the user.',
    message: 'Alert dismissed successfully.',
    errors: ['NOT_FOUND'],
    example: {
      request: { alertId: '4fTq8bV1nXcL0sKzR7Wd', user: { userId: 'ada', name: 'Ada Lovelace' } },
      response: { success: true },
    },
  })
    .input(DismissAlert)
    .output(dismissResult)
    .mutation(({ ctx, input }) => dismissAlert(ctx, input)),
});

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
      'Suggests the decision that judgments of similar items support, in the narrowest scope with enough evidence: the document, the organization, or all content of the key.',
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
          topReasons: ['Within the discount that sales may grant.'],
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
