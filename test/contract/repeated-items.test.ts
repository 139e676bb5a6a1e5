import { expect, it } from 'vitest';
import { inOrder, preparedExample } from '../support/example-world.ts';
import { operations } from '../support/operations.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const environment = {
  ROLES: 'api',
  // No server listens on this port.
  OPENAI_BASE_URL: 'http://127.0.0.1:9',
};
const server = await startTestServer(environment);
const another = await startTestServer(environment);

/** Its example needs a delivery, which only a worker makes, and has no list. */
const NEEDS_WORKER = 'webhookDeliveries.resend';
/** These operations revoke the credentials of the calls after them, and have no list. */
const END_CREDENTIALS = ['authTokens.reset', 'workspaces.resetToken'];

const writes = inOrder(
  operations
    .filter(({ procedure }) => procedure._def.type === 'mutation')
    .map(({ name }) => name)
    .filter((name) => name !== NEEDS_WORKER && !END_CREDENTIALS.includes(name)),
);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether an item of a list is an id, or has one. An item without an id is a new one each time. */
const isNamed = (item: unknown): boolean =>
  !isObject(item) || Object.keys(item).some((field) => /^(id|.+Id|provider)$/.test(field));

/** Returns the value with each named item of its lists once more at the end of its list. */
function withRepeatedItems(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(withRepeatedItems);
    return [...items, ...items.filter(isNamed)];
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [field, withRepeatedItems(inner)]),
  );
}

/** Live content publishes one event in five seconds, so its events depend on the speed of the machine. */
const DELAYED_EVENT = 'crdt.update_data';

/** What a call does: its status, the names in its answer, and all events up to now. */
async function effectOf(at: TestServer, name: string, change: (request: unknown) => unknown) {
  const { path, request, headers } = await preparedExample(at, name);
  const { status, body } = await at.call(path, change(request), headers);
  const { events } = await at.ok('/v2/events/get', { limit: 1_000 });
  const names = Object.keys(body.result?.data ?? {});
  const types: string[] = events.map(({ type }: { type: string }) => type);
  return { status, names, events: types.filter((type) => type !== DELAYED_EVENT) };
}

it('an item that is repeated within a call counts once, for every write', async () => {
  const problems: Record<string, object> = {};
  let repetitions = 0;
  for (const name of writes) {
    const once = await effectOf(server, name, (request) => request);
    const twice = await effectOf(another, name, (request) => {
      const repeated = withRepeatedItems(request);
      if (JSON.stringify(repeated) !== JSON.stringify(request)) repetitions++;
      return repeated;
    });
    if (JSON.stringify(twice) !== JSON.stringify(once)) problems[name] = { once, twice };
  }
  expect(problems).toEqual({});
  expect(repetitions).toBeGreaterThan(30);
}, 90_000);
