import type { AlertEvidence, AlertType } from '../schema.ts';
import type { DayCount, Observed } from './observe.ts';
import type { Tally } from './statistics.ts';

/**
 * A rate of fewer judgments says little. What they are compared with has twice as many, so that it
 * is known better.
 */
export const MIN_JUDGMENTS = 20;

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

export const sum = (values: number[]): number => values.reduce((all, value) => all + value, 0);
export const tallyOf = (days: DayCount[]): Tally => ({
  approved: sum(days.map(({ approved }) => approved)),
  decided: sum(days.map(({ decided }) => decided)),
});
export const shareOf = ({ approved, decided }: Tally): number => approved / decided;
export const percent = (share: number): string => `${Math.round(100 * share)} %`;
export const rounded = (value: number): number => Math.round(value * 1000) / 1000;
export const figuresOf = (tally: Tally) => ({ ...tally, rate: rounded(shareOf(tally)) });
