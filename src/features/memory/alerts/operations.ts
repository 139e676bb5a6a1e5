import { z } from 'zod';
import { noInput } from '../../../api/fields.ts';
import { apiKeyOperation, router } from '../../../api/procedures.ts';
import { dismissAlert, getAlertConfig, listAlerts, updateAlertConfig } from './alerts.ts';
import { exampleAlert } from './events.ts';
import {
  type AlertConfig,
  alertConfig,
  DismissAlert,
  dismissed,
  presentedAlert,
  UpdateAlertConfig,
} from './schema.ts';

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
    description: 'Which findings raise an alert, and how many a week.',
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
    .output(dismissed)
    .mutation(({ ctx, input }) => dismissAlert(ctx, input)),
});
