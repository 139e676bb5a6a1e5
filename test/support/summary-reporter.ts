import type { Reporter, TestModule } from 'vitest/node';

/** Prints `N passed, N failed` at the end. A file that cannot run counts as a failure. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const failed = count('failed') + broken + errors.length;
    // The default reporter prints its own summary first, so this is the last line.
    process.once('exit', () => {
      process.stdout.write(`${count('passed')} passed, ${failed} failed\n`);
    });
  }
}
