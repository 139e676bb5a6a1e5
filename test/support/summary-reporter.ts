import type { Reporter, TestModule } from 'vitest/node';

/** The closing line: `N passed, N failed`. A file that could not be run counts as a failure. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const failed = count('failed') + broken + errors.length;
    // After the default reporter's own summary, so that this is the last line.
    process.once('exit', () => {
      process.stdout.write(`${count('passed')} passed, ${failed} failed\n`);
    });
  }
}
