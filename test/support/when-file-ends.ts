import { afterAll } from 'vitest';

const endings: Array<() => unknown> = [];

// Registered when the file is read: vitest runs no afterAll that is registered inside a beforeAll.
afterAll(async () => {
  for (const end of endings.splice(0).reverse()) await end();
}, 60_000);

/** Lets go of something when the test file is done; what was made last goes first. */
export function whenFileEnds(end: () => unknown): void {
  endings.push(end);
}
