import type { SimilarJudgment } from '../retrieve/find-similar.ts';
import { detectReversal } from './detect-reversal.ts';

/** Judgments that are less similar than this are no evidence. */
export const LEAST_SIMILARITY = 0.25;

/** A judgment with its weight: 1 if a human judged the same words just now. */
export interface Weighed extends SimilarJudgment {
  weight: number;
}

export interface Evidence {
  for: Weighed[];
  against: Weighed[];
  /** The share of the weight that is for the item, with the prior included. */
  share: number;
  /** When the decisions reversed, if they did. */
  reversedAt: number | undefined;
}

const DAY_MS = 86_400_000;
/** The age at which a judgment counts half. */
const HALF_LIFE_DAYS = 150;
const SHARPNESS = 4;
const AGENT_WEIGHT = 0.6;
/** The factor for judgments from before a reversal. */
const OUTDATED = 0.2;
/** The weight of the prior for each stance, as if the query had been judged before. */
const DOUBT = 0.05;
/** How far the prior follows the wider scope instead of being half for and half against. */
const TRUST = 0.8;

/** @param wider the share of the weight that is for the item in the next wider scope */
export function weigh(found: SimilarJudgment[], now: number, wider: number): Evidence {
  const reversedAt = detectReversal(found);
  const weighed = found.map((judgment) => ({
    ...judgment,
    weight: weightOf(judgment, now, reversedAt),
  }));
  const withStance = (stance: 1 | -1) => weighed.filter((judgment) => judgment.stance === stance);
  const [pro, contra] = [withStance(1), withStance(-1)];
  const [a, b] = [sumOf(pro), sumOf(contra)];
  const before = 0.5 + TRUST * (wider - 0.5);
  return {
    for: pro,
    against: contra,
    share: (a + 2 * DOUBT * before) / (a + b + 2 * DOUBT),
    reversedAt,
  };
}

function weightOf(
  { similarity, createdMs, judgeType }: SimilarJudgment,
  now: number,
  reversedAt: number | undefined,
): number {
  const ageDays = Math.max(0, now - createdMs) / DAY_MS;
  return (
    similarity ** SHARPNESS *
    2 ** (-ageDays / HALF_LIFE_DAYS) *
    (judgeType === 'agent' ? AGENT_WEIGHT : 1) *
    (reversedAt !== undefined && createdMs < reversedAt ? OUTDATED : 1)
  );
}

const sumOf = (judgments: Weighed[]): number =>
  judgments.reduce((sum, { weight }) => sum + weight, 0);
