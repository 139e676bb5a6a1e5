import type { AlertEvidence, AlertType } from '../schema.ts';
import type { Tally } from './statistics.ts';

export const DAY_MS = 86_400_000;
/** The recent periods that detectors compare with the time before. */
export const WEEK_DAYS = 7;
export const MONTH_DAYS = 30;
/**
 * A rate of fewer judgments says little. What they are compared with has twice as many, so that it
 * is known better.
 */
export const MIN_JUDGMENTS = 20;

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
  /** In the last 30 days, and before. */
  recent: Tally;
  older: Tally;
}

/** The counts of a tenant's judgments that detectors examine. */
export interface Observed {
  now: number;
  days: DayCount[];
  items: ItemCount[];
}

/** Compares counts of one subject with what is usual. */
export interface Comparison {
  /** Identifies the finding among those of its type, so that it raises one alert only. */
  subject: string;
  /** The fields that the judgments share; empty for all judgments of the key. */
  about: { organizationId?: string; reviewerId?: string; fingerprint?: string };
  /** The probability of the counts if nothing had changed. */
  p: number;
  /** The size of the difference, in the unit of the detector's severities. */
  effect: number;
  title: string;
  description: string;
  suggestedAction: string;
  baseline: AlertEvidence['baseline'];
  current: AlertEvidence['current'];
}

/** Finds one type of change or difference that is too large for chance. */
export interface Detector {
  alertType: AlertType;
  metric: string;
  /** The recent period that it is about. */
  days: number;
  /** The least effects of findings of low, medium and high severity. */
  severities: [low: number, medium: number, high: number];
  /** Compares every subject that has enough judgments. */
  compare(observed: Observed): Comparison[];
}

export const tallyOf = (days: DayCount[]): Tally => {
  const approved = sum(days.map((day) => day.approved));
  return { approved, decided: approved + sum(days.map((day) => day.rejected)) };
};

export const sum = (values: number[]): number => values.reduce((all, value) => all + value, 0);
export const shareOf = ({ approved, decided }: Tally): number => approved / decided;
export const percent = (share: number): string => `${Math.round(100 * share)} %`;
export const rounded = (value: number): number => Math.round(value * 1000) / 1000;
export const figuresOf = (tally: Tally) => ({ ...tally, rate: rounded(shareOf(tally)) });
