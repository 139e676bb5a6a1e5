import type { AlertEvidence, AlertType, Severity } from '../schema.ts';

/** Judgments of a day, an organization and a reviewer. */
export interface DayCount {
  /** 0: the last 24 hours. */
  daysAgo: number;
  organizationId: string | null;
  reviewerId: string | null;
  approved: number;
  rejected: number;
  /** Those for neither side included. */
  judged: number;
}

/** Judgments of near-identical items: those with the same words. */
export interface ItemCount {
  fingerprint: string;
  query: string;
  recentApproved: number;
  recentRejected: number;
  olderApproved: number;
  olderRejected: number;
}

/** What the judgments of a tenant look like at a time. */
export interface Observed {
  now: number;
  days: DayCount[];
  items: ItemCount[];
}

/** Which judgments show it. */
interface Sources {
  organizationId?: string;
  reviewerId?: string;
  fingerprint?: string;
}

/** Something that chance does not explain. */
export interface Finding {
  alertType: AlertType;
  /** What it is about: the same finding is told once. */
  subject: string;
  severity: Severity;
  title: string;
  description: string;
  suggestedAction: string;
  evidence: Omit<AlertEvidence, 'sourceRecordIds'>;
  sources: Sources;
}

export const DAY_MS = 86_400_000;
/** What is compared with what came before it: the last week, and the last month. */
export const WEEK_DAYS = 7;
export const MONTH_DAYS = 30;
/** How far back days are counted, and items. */
export const COUNTED_DAYS = WEEK_DAYS + MONTH_DAYS;
export const REMEMBERED_DAYS = 365;

/**
 * How improbable a finding must be, for each kind of it and look: one month in twenty may bring a
 * false alarm of any kind. The looks are daily, but those of a month see much the same judgments.
 * It is divided by the number of subjects that are looked at.
 */
export const DAILY_LEVEL = 0.0008;
/** For what is seen over a month, and told once: its looks are nearly one. */
export const MONTHLY_LEVEL = 0.002;

export const windowOf = (now: number, days: number) => ({ from: now - days * DAY_MS, to: now });

export const percent = (share: number): string => `${Math.round(100 * share)} %`;
export const rounded = (value: number): number => Math.round(value * 1000) / 1000;

/** Without a long row of digits that mean nothing. */
export const shownP = (p: number): number => Number(p.toPrecision(2));

export const severityFor = (effect: number, medium: number, high: number): Severity =>
  effect >= high ? 'high' : effect >= medium ? 'medium' : 'low';
