import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createLogger } from '../../src/platform/logging.ts';
import { eventually } from '../support/eventually.ts';
import { processorMsOf } from '../support/processor-time.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

/** The lines that `work` logs, as objects. */
function linesOf(work: (log: ReturnType<typeof createLogger>) => void) {
  const lines: string[] = [];
  work(createLogger('info', { write: (line) => lines.push(line) }));
  return lines.map((line): unknown => JSON.parse(line));
}

/** Starts a script in which `log` is a logger, with the standard output given. */
function startLogging(script: string, output: 'pipe' | number = 'pipe', ...more: Array<'ipc'>) {
  const child = spawn(process.execPath, ['--input-type=module-typescript'], {
    cwd: `${import.meta.dirname}/../..`,
    stdio: ['pipe', output, 'inherit', ...more],
  });
  whenTestEnds(() => child.kill('SIGKILL'));
  child.stdin?.end(`
    import { createLogger } from './src/platform/logging.ts';
    const log = createLogger('info');
    ${script}`);
  return child;
}

/** The status with which a child ends. */
const endOf = async (child: ChildProcess) =>
  (await once(child, 'exit', { signal: AbortSignal.timeout(15_000) }))[0];

describe('logging', () => {
  it('redacts credentials on the first two levels and in an error, keeps the rest, and changes no logged object', () => {
    const secret = { 'x-svc-auth-token': 'def', cookie: 'ghi', authorization: 'jkl' };
    const facts = { token: 'abc', headers: { ...secret, host: 'here' } };
    const about = { password: 'abc', input: 'redis://:abc@here', code: 'E1' };
    const failure = Object.assign(new Error('refused'), about);
    const lines = linesOf((log) => {
      log.info(facts, 'request');
      log.error({ err: failure }, 'failed');
    });
    const masked = {
      'x-svc-auth-token': '[secret]',
      cookie: '[secret]',
      authorization: '[secret]',
    };
    const headers = { ...masked, host: 'here' };
    expect(lines).toMatchObject([
      { token: '[secret]', headers, msg: 'request' },
      { err: { message: 'refused', password: '[secret]', input: '[secret]', code: 'E1' } },
    ]);
    expect(facts).toEqual({ token: 'abc', headers: { ...secret, host: 'here' } });
  });

  it('removes credentials from addresses and headers in error messages', () => {
    const url = 'postgres://me:s3cret@db.example/app?password=s3cret';
    const place = { address: '10.0.0.1', port: 5432 };
    const failure = Object.assign(new TypeError(`Cannot reach ${url} (Bearer s3cret-token)`), {
      ...place,
      input: url,
      where: '/trpc/events.get?input=1&token=s3cret',
      command: { name: 'auth', args: ['s3cret'] },
      request: { headers: { authorization: 's3cret' } },
    });
    const [line, caused] = linesOf((log) => {
      log.warn({ err: new AggregateError([failure], 'all of them') }, 'failed');
      log.error({ err: new Error('outer', { cause: failure }) }, 'failed');
    });
    expect(JSON.stringify([line, caused])).not.toContain('s3cret');
    const message = 'Cannot reach postgres://[secret]@db.example/app?[secret] ([secret])';
    const where = '/trpc/events.get?[secret]';
    expect(line).toMatchObject({ err: { aggregateErrors: [{ ...place, message, where }] } });
    expect(JSON.stringify(caused)).toContain('Cannot reach');
  });

  it.each([
    ['text', 'postgres://me:s3cret@db.example/app refused'],
    ['an object', { password: 's3cret', reason: 'postgres://me:s3cret@db.example/app refused' }],
  ])('removes credentials from a failure that is %s, not an Error', (_what, err) => {
    const [line] = linesOf((log) => log.warn({ err }, 'failed'));
    expect(JSON.stringify(line)).not.toContain('s3cret');
    expect(JSON.stringify(line)).toContain('db.example/app refused');
  });

  it('truncates long texts in bounded time', () => {
    const texts = ['/'.repeat(1e6), 'a.'.repeat(5e5), 'x://'.repeat(3e5), 'eyJa'.repeat(3e5)];
    const tookMs = processorMsOf(() => {
      for (const text of texts) linesOf((log) => log.error({ err: new Error(text) }, 'failed'));
    });
    expect(tookMs).toBeLessThan(2_000);
  });

  it('loses no line when the process exits at once', async () => {
    const { stdout } = startLogging(`
      for (let n = 0; n < 1000; n++) log.info({ n }, 'line');
      process.exit(0);`);
    expect((await stdout?.toArray())?.join('').trim().split('\n')).toHaveLength(1000);
  });

  it('writes the last lines also when they are flushed while earlier ones are being written', async () => {
    // The reader waits for a message, so that the pipe is full when the lines are flushed.
    const script = `
      for (let n = 0; n < 100; n++) log.info({ text: 'x'.repeat(20_000) }, 'line');
      log.info({}, 'last');
      process.on('message', () => {});
      setTimeout(() => process.send('flushed'), 200);`;
    const child = startLogging(script, 'pipe', 'ipc');
    await once(child, 'message');
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    await eventually(() => expect(output).toContain('"msg":"last"'));
  });

  it('holds up no end of the process where nobody reads', async () => {
    const child = startLogging(`
      process.stdout.on('error', () => {});
      for (let n = 0; n < 100; n++) log.info({ text: 'x'.repeat(20_000) }, 'line');
      setTimeout(() => process.exit(7), 200);`);
    expect(await endOf(child)).toBe(7);
  });

  it.skipIf(!existsSync('/dev/full'))(
    'neither ends the process nor holds up its end where nothing can be written',
    async () => {
      const full = openSync('/dev/full', 'w');
      const script = `
        log.info({}, 'first');
        setTimeout(() => {
          log.info({}, 'second');
          process.exit(7);
        }, 200);`;
      const child = startLogging(script, full);
      closeSync(full);
      expect(await endOf(child)).toBe(7);
    },
  );
});

describe('repeated warnings', () => {
  beforeEach(() => void vi.useFakeTimers());

  const logged: string[] = [];
  const createLog = () => {
    logged.length = 0;
    return createLogger('info', { write: (line) => logged.push(line) });
  };
  const lines = () =>
    logged.splice(0).map((line) => {
      const { msg, repeated, err, endpointId } = JSON.parse(line);
      return { msg, repeated, err: err?.message, endpointId };
    });

  it('are logged at once, also after ten quiet seconds, and in between with their number every ten seconds', () => {
    const log = createLog();
    for (let n = 0; n < 50; n++) log.warn({ err: new Error(`${n}`), n }, 'The database is away.');
    expect(lines()).toEqual([{ msg: 'The database is away.', err: '0' }]);
    vi.advanceTimersByTime(10_000);
    expect(lines()).toEqual([{ msg: 'The database is away.', err: '49', repeated: 49 }]);
    log.child({ requestId: 'a' }).warn({ err: new Error('again') }, 'The database is away.');
    expect(lines()).toEqual([]);
    vi.advanceTimersByTime(10_000);
    expect(lines()).toEqual([{ msg: 'The database is away.', err: 'again', repeated: 1 }]);
    vi.advanceTimersByTime(20_000);
    expect(lines()).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
    log.warn({}, 'The database is away.');
    expect(lines()).toEqual([{ msg: 'The database is away.' }]);
  });

  it('are grouped by their message and their subject', () => {
    const log = createLog();
    for (const endpointId of ['a', 'b', 'a', 'b', 'b']) {
      log.warn({ endpointId, tries: Math.random() }, 'An endpoint cannot be reached.');
    }
    log.warn({ endpointId: 'a' }, 'Another message.');
    expect(lines().map(({ endpointId }) => endpointId)).toEqual(['a', 'b', 'a']);
    vi.advanceTimersByTime(10_000);
    expect(lines()).toMatchObject([
      { endpointId: 'a', repeated: 1 },
      { endpointId: 'b', repeated: 2 },
    ]);
  });

  it('are few, whatever values they contain', () => {
    const log = createLog();
    for (let n = 0; n < 5_000; n++) log.warn({ endpointId: `${n}` }, 'An endpoint is away.');
    expect(lines()).toHaveLength(1_001);
  });

  it('do not delay errors and request logs', () => {
    const log = createLog();
    for (let n = 0; n < 3; n++) {
      log.info({ status: 200 }, 'request');
      log.error({ err: new Error('defect') }, 'Something went wrong.');
    }
    expect(lines()).toHaveLength(6);
  });
});
