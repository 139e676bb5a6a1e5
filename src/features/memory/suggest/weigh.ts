import type { SimilarJudgment } from '../retrieve/find-similar.ts';
import { findTurn } from './find-turn.ts';

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
  turnedAt: number | undefined;
}

const DAY_MS = 86_400_000;
/** After so long a judgment counts half. */
const HALF_LIFE_DAYS = 150;
const SHARPNESS = 4;
const AGENT_WEIGHT = 0.6;
/** What a judgment still counts after those that came later went the other way. */
const OUTDATED = 0.2;
/** As if the query had been judged before, with so much weight for either side on average. */
const DOUBT = 0.05;
/** How far the wider scope decides what that judgment was; the rest is half for, half against. */
const TRUST = 0.8;

/** @param wider the share of the weight that is for the item in the next wider scope */
export function weigh(found: SimilarJudgment[], now: number, wider: number): Evidence {
  const turnedAt = findTurn(found);
  const weighed = found.map((judgment) => ({
    ...judgment,
    weight: weightOf(judgment, now, turnedAt),
  }));
  const ofSide = (side: 1 | -1) => weighed.filter((judgment) => judgment.side === side);
  const [pro, contra] = [ofSide(1), ofSide(-1)];
  const [a, b] = [sumOf(pro), sumOf(contra)];
  const before = 0.5 + TRUST * (wider - 0.5);
  return {
    for: pro,
    against: contra,
    share: (a + 2 * DOUBT * before) / (a + b + 2 * DOUBT),
    turnedAt,
  };
}

function weightOf(
  { similarity, createdMs, judgeType }: SimilarJudgment,
  now: number,
  turnedAt: number | undefined,
): number {
  const ageDays = Math.max(0, now - createdMs) / DAY_MS;
  return (
    similarity ** SHARPNESS *
    2 ** (-ageDays / HALF_LIFE_DAYS) *
    (judgeType === 'agent' ? AGENT_WEIGHT : 1) *
    (turnedAt !== undefined && createdMs < turnedAt ? OUTDATED : 1)
  );
}

const sumOf = (judgments: Weighed[]): number =>
  judgments.reduce((sum, { weight }) => sum + weight, 0);
