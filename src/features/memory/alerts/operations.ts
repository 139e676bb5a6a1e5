import { z } from 'zod';
import { noInput } from '../../../api/fields.ts';
import { apiKeyOperation, router } from '../../../api/procedures.ts';
import { getAlertConfig, updateAlertConfig } from './alert-config.ts';
import { dismissAlert } from './dismiss-alert.ts';
import { listAlerts } from './list-alerts.ts';
import {
  type AlertConfig,
  alertConfig,
  DismissAlert,
  dismissed,
  type PresentedAlert,
  presentedAlert,
  UpdateAlertConfig,
} from './schema.ts';

const DAY_MS = 86_400_000;
const NOW = 1_790_000_000_000;

const drift: PresentedAlert = {
  id: '4fTq8bV1nXcL0sKzR7Wd',
  apiKey: 'key',
  alertType: 'approval-rate-drift',
  severity: 'medium',
  title: 'The approval rate fell from 82 % to 57 %',
  description: '40 of 70 items were approved in the last 7 days, 246 of 300 in the 30 days before.',
  evidence: {
    metric: 'approval-rate',
    baseline: { approved: 246, decided: 300, rate: 0.82 },
    current: { approved: 40, decided: 70, rate: 0.571 },
    window: { from: NOW - 7 * DAY_MS, to: NOW },
    sourceRecordIds: ['9sKx2LmQ7VbT0cRzN4Wf'],
    pValue: 0.00002,
  },
  suggestedAction: 'Look at the latest rejections: did the items change, or the policy?',
  actionUrl: null,
  status: 'active',
  createdAt: NOW,
  dismissedAt: null,
  dismissedBy: null,
};

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
    message: 'Alert config retrieved successfully.',
    example: { request: {}, response: config },
  })
    .input(noInput)
    .output(alertConfig)
    .query(({ ctx }) => getAlertConfig(ctx)),

  update: apiKeyOperation({
    path: '/v2/memory/alerts/config/update',
    summary: 'Update the alert configuration',
    description: 'Changes the fields that are given, at least one.',
    message: 'Alert config updated successfully.',
    example: { request: config, response: config },
  })
    .input(UpdateAlertConfig)
    .output(alertConfig)
    .mutation(({ ctx, input }) => updateAlertConfig(ctx, input)),
});

export const alertsRouter = router({
  config: configRouter,

  list: apiKeyOperation({
    path: '/v2/memory/alerts/list',
    summary: 'List alerts',
    description: 'The active alerts, at most 50, the gravest and newest first.',
    message: 'Alerts retrieved successfully.',
    envelope: 'bare',
    example: { request: {}, response: [drift] },
  })
    .input(noInput)
    .output(z.array(presentedAlert))
    .query(({ ctx }) => listAlerts(ctx)),

  dismiss: apiKeyOperation({
    path: '/v2/memory/alerts/dismiss',
    summary: 'Dismiss an alert',
    description: 'Takes it from the list, and keeps when and by whom.',
    message: 'Alert dismissed successfully.',
    errors: ['NOT_FOUND'],
    example: {
      request: { alertId: '4fTq8bV1nXcL0sKzR7Wd', user: { userId: 'ada', name: 'Ada Lovelace' } },
      response: { success: true },
    },
  })
    .input(DismissAlert)
    .output(dismissed)
    .mutation(({ ctx, input }) => dismissAlert(ctx, input)),
});
