/** The hooks that run these stand in setup.ts, and in bench/run.ts for benchmarks. */
const ofFile: Array<() => unknown> = [];
const ofTest: Array<() => unknown> = [];

/** Releases something at the end of the test file or benchmark. The last registered goes first. */
export function whenFileEnds(end: () => unknown): void {
  ofFile.push(end);
}

/** Releases something after the present test. The last registered goes first. */
export function whenTestEnds(end: () => unknown): void {
  ofTest.push(end);
}

export const endFile = (): Promise<void> => endAll(ofFile);
export const endTest = (): Promise<void> => endAll(ofTest);

/** Releases all, and throws the first failure only then, so that nothing is left to the next file. */
async function endAll(endings: Array<() => unknown>): Promise<void> {
  const failures: unknown[] = [];
  for (const end of endings.splice(0).reverse()) {
    try {
      await end();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
