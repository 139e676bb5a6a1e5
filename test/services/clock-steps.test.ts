import { expect, inject, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { serverProcess } from '../support/processes.ts';
import { startReceiver } from '../support/receiver.ts';
import { createDatabase, post } from '../support/server.ts';

const DOCUMENTS = 4;
/** Each step of the clock of one process, and how many more writes it answers before the next one. */
const STEPS_MS = [600_000, 0, -600_000, 0];
const BETWEEN = 50;
/** A writer that is slowed down, since events seem to be late, waits for 2 s (sequencer.ts). */
const SLOWED_DOWN_MS = 1_900;

const environment = {
  DATABASE_URL: await createDatabase(),
  REDIS_URL: inject('redisUrl') ?? '',
  OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
};
const receiver = await startReceiver();
const steady = await serverProcess(environment);
const stepped = await serverProcess(environment, { preload: 'step-clock' });
for (const process of [steady, stepped]) await process.start();
const headers = await steady.keyHeaders();
const workspace = '/v2/workspace/advancedwebhook';
await call('/v2/organizations/add', { organizations: [{ organizationId: 'acme' }] });
await call(`${workspace}config/update`, { isEnabled: true });
const endpoint = { url: receiver.url, filterTypes: ['document.update'] };
await call(`${workspace}/endpoints/create`, endpoint);
async function call(path: string, data: object, { url } = steady): Promise<void> {
  const answer = await post(url + path, { data }, headers);
  expect(answer).toMatchObject({ status: 200 });
}

/** The times that the process whose clock is stepped took for each write. */
const tookMs: number[] = [];

/** Renames a document again and again at both processes in turn, and returns its names in their order. */
async function rename(documentId: string, isOver: () => boolean) {
  const place = { organizationId: 'acme' };
  await call('/v2/organizations/documents/add', { ...place, documents: [{ documentId }] });
  const names: string[] = [];
  while (!isOver()) {
    const process = names.length % 2 === 0 ? steady : stepped;
    const documentName = `${documentId} ${names.length}`;
    const startedAt = performance.now();
    const documents = [{ documentId, documentName }];
    await call('/v2/organizations/documents/update', { ...place, documents }, process);
    if (process === stepped) tookMs.push(performance.now() - startedAt);
    names.push(documentName);
  }
  return names;
}

/** The names of a document in the order of the first request with each. */
const receivedNames = (documentId: string): string[] => [
  ...new Set(
    receiver.received
      .filter(({ event }) => event.data.id === documentId)
      .map(({ event }) => event.data.documentName as string),
  ),
];

it('steps of the clock of one process reorder no webhooks of a document, and hold up no writer', async () => {
  let isOver = false;
  const ids = Array.from({ length: DOCUMENTS }, (_, index) => `document-${index}`);
  const writing = Promise.all(ids.map((id) => rename(id, () => isOver)));
  for (const stepMs of STEPS_MS) {
    stepped.stepClock(stepMs);
    // Those that were under way end first.
    const from = tookMs.length + DOCUMENTS;
    await eventually(() => expect(tookMs.length).toBeGreaterThan(from + BETWEEN));
    // A busy machine may slow down some, but only a wait slows down all.
    expect(Math.min(...tookMs.slice(from))).toBeLessThan(SLOWED_DOWN_MS);
  }
  isOver = true;
  const written = await writing;
  await eventually(() => {
    for (const [index, id] of ids.entries()) {
      expect(receivedNames(id)).toHaveLength(written[index]?.length ?? 0);
    }
  });
  for (const [index, id] of ids.entries()) expect(receivedNames(id)).toEqual(written[index]);
});
