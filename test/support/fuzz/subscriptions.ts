import fc from 'fast-check';
import { z } from 'zod';
import { definitionOf } from '../../../src/api/trpc-internals.ts';
import { subscriptions as known } from '../operations.ts';
import { spoiled } from './mutations.ts';
import { written } from './requests.ts';
import { inputsFor } from './schema-inputs.ts';

/** A subscription over HTTP, and when to close it. */
export interface FuzzSubscription {
  path: string;
  as: 'apiKey' | 'user' | 'nobody';
  headers: Record<string, string>;
  /** How many chunks of the answer to read before closing. -1 closes before the answer. */
  reads: number;
}

const EXAMPLE = { organizationId: 'acme', documentId: 'plan', userId: 'ada' };

const all = known.map(([name, procedure]) => {
  const [input = z.object()] = definitionOf(procedure).inputs;
  return { name, inputs: inputsFor(input, EXAMPLE) };
});

const eventIds = fc.constantFrom(
  ...['', '0', '-1', '1', '9'.repeat(400), 'abc', '%00', 'x'.repeat(5_000), '1,2', 'null'],
);
const headers = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  eventIds.map((id) => ({ 'last-event-id': id })),
  fc.constantFrom<Record<string, string>>(
    { accept: 'application/json' },
    { 'trpc-accept': 'application/jsonl' },
    { origin: 'https://example.com' },
    { authorization: 'Bearer e30.e30.e30' },
  ),
);
const queries = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  eventIds.map((id) => `&lastEventId=${encodeURIComponent(id)}`),
  fc.constantFrom('&connectionParams=%7B%7D', '&connectionParams=5', '&batch=1', '&input=%7B'),
);

/** Any subscription, with valid or invalid input, closed at any time. */
export const subscriptions: fc.Arbitrary<FuzzSubscription> = fc
  .constantFrom(...all)
  .chain(({ name, inputs }) =>
    fc.record({
      path: fc
        .tuple(written(spoiled(inputs).map((json) => ({ json }))), queries)
        .map(([input, query]) =>
          `/trpc/${name}?input=${encodeURIComponent(input.toWellFormed())}${query}`.slice(
            0,
            12_000,
          ),
        ),
      as: fc.constantFrom('apiKey' as const, 'user' as const, 'nobody' as const),
      headers,
      reads: fc.integer({ min: -1, max: 2 }),
    }),
  );

/** Opens it, reads some chunks, and closes it. @returns the chunks and the status of the answer. */
export async function follow(
  url: string,
  { path, headers: own, reads }: FuzzSubscription,
  credentials: Record<string, string>,
): Promise<{ status: number; text: string } | undefined> {
  const dropped = new AbortController();
  const answer = fetch(url + path, {
    headers: { accept: 'text/event-stream', ...own, ...credentials },
    signal: dropped.signal,
  });
  if (reads < 0) dropped.abort();
  const response = await answer.catch((error: unknown) => {
    if (!dropped.signal.aborted) throw error;
  });
  if (!response) return undefined;
  let text = '';
  const reader = response.body?.getReader();
  for (let read = 0; reader && read < reads; read++) {
    const { value, done } = await Promise.race([reader.read(), nothing()]);
    text += Buffer.from(value ?? []).toString();
    if (done) break;
  }
  dropped.abort();
  return { status: response.status, text };
}

/** A subscription may have no events. */
const nothing = (): Promise<{ value: undefined; done: true }> =>
  new Promise((resolve) => setTimeout(() => resolve({ value: undefined, done: true }), 200));
