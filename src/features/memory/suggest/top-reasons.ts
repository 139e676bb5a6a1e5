import { overlap } from '../text/cosine.ts';
import { termsOf } from '../text/terms.ts';
import type { Weighed } from './judge.ts';

const MAX_REASONS = 5;
/** The length at which a long reason is cut. */
const MAX_LENGTH = 500;
/** Reasons that share so much of their words are merged. */
const SAME = 0.6;

interface Group {
  /** The reason of the judgment with the greatest weight. */
  text: string;
  bestWeight: number;
  times: number;
  weight: number;
}

/** Returns the most frequent reasons, with near-duplicates merged into the weightiest of them. */
export function topReasons(support: Weighed[]): string[] {
  const groups: Group[] = [];
  for (const { reasoning, weight } of support.toSorted((a, b) => b.weight - a.weight)) {
    const text = reasoning?.trim();
    if (!text) continue;
    const group = groups.find((one) => isSame(one.text, text));
    if (group) {
      group.times += 1;
      group.weight += weight;
    } else {
      groups.push({ text, bestWeight: weight, times: 1, weight });
    }
  }
  return groups
    .sort((a, b) => b.times - a.times || b.weight - a.weight || b.bestWeight - a.bestWeight)
    .slice(0, MAX_REASONS)
    .map(({ text }) => shortened(text));
}

const isSame = (one: string, other: string): boolean =>
  one === other || overlap(termsOf(one), termsOf(other)) >= SAME;

/** Cuts a long text without splitting a character. */
const shortened = (text: string): string =>
  text.length <= MAX_LENGTH
    ? text
    : `${text
        .slice(0, MAX_LENGTH - 1)
        .toWellFormed()
        .trimEnd()}…`;
