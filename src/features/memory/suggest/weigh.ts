import type { SimilarJudgment } from '../retrieve/find-similar.ts';
import { detectReversal } from './detect-reversal.ts';

/** Less alike than this is not alike. */
export const LEAST_SIMILARITY = 0.25;

/** A judgment, with how much it counts: 1 for the same words, judged now, by a human. */
export interface Weighed extends SimilarJudgment {
  weight: number;
}

export interface Evidence {
  for: Weighed[];
  against: Weighed[];
  /** The share of the weight that is for the item, a little doubt included. */
  share: number;
  /** When the judgments changed their direction, if they did. */
  reversedAt: number | undefined;
}

const DAY_MS = 86_400_000;
/** After so long a judgment counts half. */
const HALF_LIFE_DAYS = 150;
const SHARPNESS = 4;
const AGENT_WEIGHT = 0.6;
/** What a judgment still counts after those that came later went the other way. */
const OUTDATED = 0.2;
/** As if the query had been judged before, with so much weight for either stance on average. */
const DOUBT = 0.05;
/** How far the wider scope decides what that judgment was; the rest is half for, half against. */
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
