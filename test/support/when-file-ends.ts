import { afterAll } from 'vitest';

const endings: Array<() => unknown> = [];

// These are registered when the file is loaded, because Vitest ignores an afterAll inside a
// beforeAll.
afterAll(async () => {
  for (const end of endings.splice(0).reverse()) await end();
}, 60_000);

/** Releases something at the end of the test file. The last registered goes first. */
export function whenFileEnds(end: () => unknown): void {
  endings.push(end);
}
