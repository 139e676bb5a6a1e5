import { openDatabase } from '../../support/database-client.ts';
import type { Finding, Measurement } from '../harness/benchmark.ts';
import { filledDatabase, type Postgres } from '../harness/databases.ts';
import { askQuestions, type SetAnswer } from '../memory/ask-set.ts';
import { readTexts } from '../memory/labelled-texts.ts';
import { type MemorySet, makeSet } from '../memory/make-set.ts';
import { scoresOf } from '../memory/score-set.ts';
import { driftingMonths, quietMonths } from '../memory/simulated-months.ts';

/** The sets of texts, each with another one for questions about matters that nobody judged. */
const SETS: Array<[texts: string, unrelated: string]> = [
  ['CLINC150', 'CLINC150/oos'],
  ['BANKING77', 'HWU64'],
  ['HWU64', 'BANKING77'],
];
const SEEDS = [1, 2];

/**
 * Measures whether suggestions are right, as often as their confidence says, compared with a vote of
 * neighbours and with the majority. Also measures whether alerts are created when something changes,
 * and only then.
 */
export const memory: Measurement = {
  name: 'memory',
  async measure(postgres) {
    const folder = process.env.BENCH_TEXTS;
    const named = process.env.BENCH_SETS?.split(',');
    const missing = { label: 'suggestions', value: 'not measured: BENCH_TEXTS is not set' };
    const findings: Finding[] = folder ? [] : [missing];
    for (const [set, other] of SETS) {
      if (!folder || (named && !named.includes(set))) continue;
      const [texts, unrelated] = [readTexts(folder, set), readTexts(folder, other)];
      const answers: SetAnswer[] = [];
      for (const seed of SEEDS) {
        answers.push(...(await askAbout(postgres, makeSet(texts, unrelated, seed))));
      }
      findings.push(...scoresOf(set, answers));
    }
    return [...findings, ...quietMonths(), ...driftingMonths()];
  },
};

async function askAbout(postgres: Postgres, set: MemorySet): Promise<SetAnswer[]> {
  const url = await filledDatabase(postgres, async () => undefined);
  return askQuestions(openDatabase(url, { poolSize: 2 }), set);
}
