import { type Measurement, median } from '../harness/benchmark.ts';
import {
  openEditor,
  organizationToken,
  prepareEditors,
  prose,
  updateCall,
} from '../harness/editors.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { startBoth } from '../harness/servers.ts';

const REPEATS = 300;
const WARM_UP = 50;
const MAX_RATIO = 3;
const TEXT = prose(10_000);
/** The text with one word that differs for each `n`. */
const withWord = (n: number) => `${TEXT.slice(0, 1_000)}word-${n}${TEXT.slice(1_000)}`;

/**
 * Measures the time until a word that REST changes in 10 KB reaches a connected editor, here once it is
 * stored, and in a Hocuspocus that stores nothing.
 */
export const crdtUpdateLatency: Measurement = {
  name: 'crdt-update-latency',
  async measure(postgres) {
    const { ours, baseline } = await startBoth(postgres, (database) =>
      prepareEditors(database, { documents: 1, text: TEXT }),
    );
    const times = await alternate(ours.url, baseline.url);
    const [mine, theirs] = [median(times.ours), median(times.baseline)];
    const ratio = mine / theirs;
    return [
      { label: 'ours', value: `${mine.toFixed(2)} ms` },
      { label: 'baseline', value: `${theirs.toFixed(2)} ms` },
      {
        label: 'ratio',
        value: ratio.toFixed(2),
        target: `<= ${MAX_RATIO}`,
        met: ratio <= MAX_RATIO,
      },
    ];
  },
};

async function alternate(oursUrl: string, baselineUrl: string) {
  const ours = await timerOf(oursUrl, await organizationToken(oursUrl));
  const baseline = await timerOf(baselineUrl, 'nobody asks');
  const times = { ours: [] as number[], baseline: [] as number[] };
  for (let n = 0; n < WARM_UP + REPEATS; n++) {
    const [mine, theirs] = [await ours(n), await baseline(n)];
    if (n < WARM_UP) continue;
    times.ours.push(mine);
    times.baseline.push(theirs);
  }
  return times;
}

async function timerOf(url: string, token: string): Promise<(n: number) => Promise<number>> {
  const { doc } = await openEditor(url, 'document-0', token);
  const connection = await HttpConnection.open(url);
  return async (n) => {
    const call = updateCall('document-0', withWord(n));
    const startedAt = performance.now();
    const arrived = new Promise<number>((resolve) =>
      doc.once('update', () => resolve(performance.now() - startedAt)),
    );
    const [elapsedMs] = await Promise.all([arrived, connection.succeed(call)]);
    return elapsedMs;
  };
}
