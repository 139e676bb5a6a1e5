import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/platform/logging.ts';

/** The lines that `work` logs, as objects. */
function linesOf(work: (log: ReturnType<typeof createLogger>) => void) {
  const lines: string[] = [];
  work(createLogger('info', { write: (line) => lines.push(line) }));
  return lines.map((line): unknown => JSON.parse(line));
}

describe('logging', () => {
  it('hides credentials on the first two levels, and leaves the rest', () => {
    const [line] = linesOf((log) =>
      log.info({ token: 'abc', headers: { 'x-svc-auth-token': 'def', host: 'here' } }, 'request'),
    );
    expect(line).toMatchObject({
      token: '[secret]',
      headers: { 'x-svc-auth-token': '[secret]', host: 'here' },
      msg: 'request',
    });
  });

  it('hides credentials that an error carries, and keeps its message', () => {
    const failure = Object.assign(new Error('refused'), { password: 'abc', code: 'E1' });
    const [line] = linesOf((log) => log.error({ err: failure }, 'failed'));
    expect(line).toMatchObject({ err: { message: 'refused', password: '[secret]', code: 'E1' } });
  });

  it('does not change the objects that it is given', () => {
    const facts = { token: 'abc', headers: { cookie: 'def' } };
    linesOf((log) => log.info(facts, 'request'));
    expect(facts).toEqual({ token: 'abc', headers: { cookie: 'def' } });
  });

  it('loses no line when the process exits right after it', () => {
    const script = `
      import { createLogger } from './src/platform/logging.ts';
      const log = createLogger('info');
      for (let n = 0; n < 1000; n++) log.info({ n }, 'line');
      process.exit(0);`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module-typescript'], {
      cwd: `${import.meta.dirname}/../..`,
      input: script,
      encoding: 'utf8',
    });
    expect(stdout.trim().split('\n')).toHaveLength(1000);
  });
});
