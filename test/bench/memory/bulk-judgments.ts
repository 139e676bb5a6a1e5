import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { StoredJudgment } from '../../../src/features/memory/judgments/store-judgments.ts';
import type { Random } from './random.ts';

/** Millions of judgments: sentences about a few hundred products, places and people. */

/** Items of many subjects, with names and numbers to fill in. */
const WORDINGS = readFileSync(path.join(import.meta.dirname, 'wordings.txt'), 'utf8')
  .trimEnd()
  .split('\n');
const ORGANIZATIONS = 500;
const DAY_MS = 86_400_000;
const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu'.split(' ');

/** Invented names. Low numbers are much more frequent, as in real names. */
function nameOf(random: Random): string {
  let number = Math.floor(20_000 * random.next() ** 3);
  let name = '';
  for (let n = 0; n < 4; n++) {
    name += SYLLABLES[number % SYLLABLES.length];
    number = Math.floor(number / SYLLABLES.length);
  }
  return name;
}

function sentence(random: Random): string {
  const filled = random
    .pick(WORDINGS)
    .replace('{company}', nameOf(random))
    .replace('{person}', nameOf(random))
    .replace('{city}', nameOf(random))
    .replace('{number}', String(1 + random.below(1_000)));
  return `${filled}, ${nameOf(random)} ${nameOf(random)}`;
}

export const judgmentOf = (random: Random, n: number): StoredJudgment => ({
  recordId: `record-${n}`,
  organizationId: `organization-${random.below(ORGANIZATIONS)}`,
  documentId: random.chance(0.5) ? `document-${random.below(100)}` : undefined,
  query: sentence(random),
  decision: random.chance(0.6) ? 'approved' : 'rejected',
  reasoning: 'As it was decided before.',
  reviewer: { userId: `reviewer-${random.below(200)}` },
  judgeType: random.chance(0.2) ? 'agent' : 'human',
  createdMs: Date.now() - Math.floor(365 * random.next()) * DAY_MS,
  recordedMs: Date.now(),
});

/** Questions in the key, an organization, a document, and with only frequent words, in rotation. */
export function queryOf(random: Random, n: number) {
  const query = n % 4 === 3 ? random.pick(WORDINGS) : sentence(random);
  const organizationId = `organization-${random.below(ORGANIZATIONS)}`;
  const documentId = `document-${random.below(100)}`;
  if (n % 4 === 1) return { query, organizationId };
  return n % 4 === 2 ? { query, organizationId, documentId } : { query };
}
