import assert from 'node:assert';
import { type Comparison, type Finding, median } from './benchmark.ts';
import { Child } from './child.ts';
import type { Postgres } from './databases.ts';
import { HttpConnection } from './http-connection.ts';
import type { LoadOrder, LoadReport } from './load-process.ts';
import { cpuMsOf } from './process-facts.ts';
import { type Server, startBoth } from './servers.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const ROUND_SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const CONNECTIONS = 20;
/** Calls whose answers are compared. The load begins after them. */
const COMPARED_CALLS = 20;

/** The load of one server in one round. */
interface ServerLoad extends LoadReport {
  /** Processor time of the server for one request, which is more reliable when other work runs. */
  cpuMs: number;
}

interface Round {
  ours: ServerLoad;
  baseline: ServerLoad;
}

/** Lets both servers do the same work alternately. */
export async function compare(comparison: Comparison, postgres: Postgres): Promise<Finding[]> {
  const { ours, baseline } = await startBoth(postgres, comparison.prepare);
  await compareAnswers(comparison, ours.url, baseline.url);
  const { crowded, alone } = await alternate(comparison, ours, baseline);
  return [...report(comparison, crowded), reportOneCaller(comparison, alone)];
}

/** The baseline is valid only while it returns the same answers. */
async function compareAnswers(comparison: Comparison, ours: string, baseline: string) {
  const connections = await Promise.all([HttpConnection.open(ours), HttpConnection.open(baseline)]);
  for (let n = 0; n < COMPARED_CALLS; n++) {
    const call = comparison.request(n);
    const answers = await Promise.all(connections.map((connection) => connection.post(call)));
    const [mine, theirs] = answers.map(({ body }): unknown => JSON.parse(body));
    assert.deepStrictEqual(mine, theirs);
  }
  for (const connection of connections) connection.close();
}

type Load = Child<LoadOrder, LoadReport>;

/** Rounds with many callers, and with one. */
async function alternate(comparison: Comparison, ours: Server, baseline: Server) {
  const load: Load = new Child('harness/load-process.ts');
  const nextOfOurs = roundsOf(comparison, load, ours);
  const nextOfBaseline = roundsOf(comparison, load, baseline);
  const roundsWith = async (connections: number): Promise<Round[]> => {
    const rounds: Round[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      rounds.push({
        ours: await nextOfOurs(connections),
        baseline: await nextOfBaseline(connections),
      });
    }
    // The first round is a warm-up and is not counted.
    return rounds.slice(1);
  };
  return { crowded: await roundsWith(CONNECTIONS), alone: await roundsWith(1) };
}

/** Each round continues after the calls of the previous one. */
function roundsOf(comparison: Comparison, load: Load, { url, pid }: Server) {
  let first = COMPARED_CALLS;
  return async (connections: number): Promise<ServerLoad> => {
    const cpuBefore = await cpuMsOf(pid);
    const order = { benchmark: comparison.name, url, first, connections, seconds: ROUND_SECONDS };
    const report = await load.carryOut(order);
    first += report.requests;
    return { ...report, cpuMs: ((await cpuMsOf(pid)) - cpuBefore) / report.requests };
  };
}

function report({ target }: Comparison, rounds: Round[]): Finding[] {
  const ratios = rounds.map(({ ours, baseline }) => ours.perSecond / baseline.perSecond);
  const ratio = median(ratios);
  return [
    { label: 'ours', value: describe(rounds.map(({ ours }) => ours)) },
    { label: 'baseline', value: describe(rounds.map(({ baseline }) => baseline)) },
    {
      label: 'ratio of requests/s',
      value: `${ratio.toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} in ${rounds.length} rounds)`,
      target: `>= ${target}`,
      met: ratio >= target,
    },
  ];
}

function reportOneCaller({ oneCallerTarget }: Comparison, rounds: Round[]): Finding {
  const ratio = median(rounds.map(({ ours, baseline }) => ours.p50Ms / baseline.p50Ms));
  const [ours, baseline] = [
    median(rounds.map((round) => round.ours.p50Ms)),
    median(rounds.map((round) => round.baseline.p50Ms)),
  ];
  return {
    label: 'one caller, ratio of medians',
    value: `${ratio.toFixed(2)} (${ours.toFixed(2)} ms, ${baseline.toFixed(2)} ms)`,
    target: `<= ${oneCallerTarget}`,
    met: ratio <= oneCallerTarget,
  };
}

function describe(loads: ServerLoad[]): string {
  const middle = (of: (load: ServerLoad) => number) => median(loads.map(of));
  const perSecond = Math.round(middle((load) => load.perSecond));
  const p50 = middle((load) => load.p50Ms).toFixed(1);
  const p99 = middle((load) => load.p99Ms).toFixed(1);
  const cpu = middle((load) => load.cpuMs).toFixed(3);
  return `${perSecond} requests/s, p50 ${p50} ms, p99 ${p99} ms, CPU ${cpu} ms a request`;
}
