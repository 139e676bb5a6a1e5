import type { AlertEvidence, AlertType, Severity } from '../schema.ts';

/** The number of judgments per day, organization and reviewer. */
export interface DayCount {
  /** 0: the last 24 hours. */
  daysAgo: number;
  organizationId: string | null;
  reviewerId: string | null;
  approved: number;
  rejected: number;
  /** All judgments, neutral ones included. */
  judged: number;
}

/** The number of judgments of near-identical items, which have the same words. */
export interface ItemCount {
  fingerprint: string;
  query: string;
  recentApproved: number;
  recentRejected: number;
  olderApproved: number;
  olderRejected: number;
}

/** The counts of a tenant's judgments that the detectors examine. */
export interface Observed {
  now: number;
  days: DayCount[];
  items: ItemCount[];
}

/** Selects the judgments that a finding is based on. */
interface Sources {
  organizationId?: string;
  reviewerId?: string;
  fingerprint?: string;
}

/** A change or difference that is too large for chance. */
export interface Finding {
  alertType: AlertType;
  /** Identifies the finding among those of its type, so that it raises one alert only. */
  subject: string;
  severity: Severity;
  title: string;
  description: string;
  suggestedAction: string;
  evidence: Omit<AlertEvidence, 'sourceRecordIds'>;
  sources: Sources;
}

export const DAY_MS = 86_400_000;
/** The recent periods that detectors compare with the time before. */
export const WEEK_DAYS = 7;
export const MONTH_DAYS = 30;
/** How far back judgments are counted: by day, and by item. */
export const COUNTED_DAYS = WEEK_DAYS + MONTH_DAYS;
export const REMEMBERED_DAYS = 365;

/**
 * The significance level of one detector in one daily run, chosen so that about one month in twenty
 * has a false alarm of any kind; consecutive runs see mostly the same judgments. Detectors divide
 * it by the number of subjects that they examine.
 */
export const DAILY_LEVEL = 0.0008;
/** The level of detectors that compare months, whose daily runs amount to nearly one test. */
export const MONTHLY_LEVEL = 0.002;

export const windowOf = (now: number, days: number) => ({ from: now - days * DAY_MS, to: now });

export const percent = (share: number): string => `${Math.round(100 * share)} %`;
export const rounded = (value: number): number => Math.round(value * 1000) / 1000;

/** Rounds a p-value to its two significant digits. */
export const shownP = (p: number): number => Number(p.toPrecision(2));

export const severityFor = (effect: number, medium: number, high: number): Severity =>
  effect >= high ? 'high' : effect >= medium ? 'medium' : 'low';
