import { z } from 'zod';
import { epochMs, id } from '../../../api/fields.ts';
import { user } from '../../access/users/schema.ts';

export const ALERT_TYPES = [
  'approval-rate-drift',
  'reviewer-divergence',
  'conflicting-decisions',
  'unusual-volume',
  'abandoned-precedent',
] as const;
const alertType = z.enum(ALERT_TYPES);
export type AlertType = z.infer<typeof alertType>;

/** The severities in rising order. The database stores their ranks, counted from 1. */
export const SEVERITIES = ['low', 'medium', 'high'] as const;
const severity = z.enum(SEVERITIES);
export type Severity = z.infer<typeof severity>;
export const severityRank = (name: Severity): number => SEVERITIES.indexOf(name) + 1;

const figures = z.record(z.string(), z.union([z.number(), z.string()]));

const evidence = z
  .object({
    metric: z.string(),
    baseline: figures,
    current: figures,
    window: z.object({ from: z.number(), to: z.number() }).meta({ description: 'Epoch ms.' }),
    sourceRecordIds: z.array(z.string()).meta({ description: 'The judgments behind the alert.' }),
    organizationId: z.string().optional(),
    reviewerId: z.string().optional(),
    pValue: z
      .number()
      .meta({ description: 'The probability of such a deviation by chance alone.' }),
  })
  .meta({ id: 'AlertEvidence' });
export type AlertEvidence = z.infer<typeof evidence>;

/** An alert as callers receive it (specification 2.13). */
export const presentedAlert = z
  .object({
    id: z.string(),
    apiKey: z.string(),
    alertType: z.string(),
    severity,
    title: z.string(),
    description: z.string(),
    evidence,
    suggestedAction: z.string().optional(),
    actionUrl: z.string().nullable().optional(),
    status: z.string().meta({ description: '`active` or `dismissed`.' }),
    createdAt: epochMs,
    dismissedAt: z.number().nullable(),
    dismissedBy: z.looseObject({ userId: z.string() }).nullable(),
  })
  .meta({ id: 'Alert' });
export type PresentedAlert = z.infer<typeof presentedAlert>;

export const DismissAlert = z.object({
  alertId: id,
  user: user.optional().meta({ description: 'The user who dismisses the alert.' }),
});
export type DismissAlertInput = z.infer<typeof DismissAlert>;

export const dismissResult = z.object({ success: z.literal(true) });

const configFields = {
  enabled: z.boolean(),
  maxAlertsPerWeek: z.number().int().min(0).max(100).meta({
    description:
      'The most alerts in a week. The most severe findings come first; the others raise alerts later, if they persist.',
  }),
  enabledAlertTypes: z.array(alertType).max(100),
  severityThreshold: severity.meta({ description: 'Findings of a lower severity raise no alert.' }),
};

export const alertConfig = z.object(configFields).meta({ id: 'AlertConfig' });
export type AlertConfig = z.infer<typeof alertConfig>;

export const UpdateAlertConfig = alertConfig
  .partial()
  .refine((given) => Object.values(given).some((value) => value !== undefined), {
    message: `must contain at least one of ${Object.keys(configFields).join(', ')}`,
  });
export type UpdateAlertConfigInput = z.infer<typeof UpdateAlertConfig>;
