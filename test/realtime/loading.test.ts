import { expect, it } from 'vitest';
import type { Database } from '../../src/platform/database/database.ts';
import { connect, planServer } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';

const database = { isAway: false };

/** A database that fails for loading content only. */
function refuseLoads({ pool }: Database): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
    const refusing = (...parameters: unknown[]) => {
      const { text = '' } = parameters[0] as { text?: string };
      const callback = parameters.at(-1);
      if (!database.isAway || !text.includes('c.snapshot')) return query(...parameters);
      const error = Object.assign(new Error('The database is away.'), { code: 'ECONNREFUSED' });
      if (typeof callback === 'function') return callback(error);
      return Promise.reject(error);
    };
    client.query = refusing as typeof client.query;
  });
}
const { server, token, open } = await planServer({}, { onDatabase: refuseLoads });

it('a document that cannot be loaded refuses its connections, stays out of memory, and opens later', async () => {
  database.isAway = true;
  const waiting = connect({ url: server.url, name: 'acme/plan/body', token });
  await eventually(() => expect(waiting.refusals).toContain('UNAVAILABLE'));
  expect(waiting.provider.synced).toBe(false);
  database.isAway = false;
  await eventually(() => expect(waiting.provider.synced).toBe(true));
  const other = await open('body');
  waiting.text.insert(0, 'here');
  await eventually(() => expect(other.text.toString()).toBe('here'));
  const { registry } = server.app.services.metrics;
  expect(await registry.getSingleMetricAsString('live_documents')).toMatch(/live_documents 1$/);
  expect(await registry.getSingleMetricAsString('live_connections')).toMatch(/_connections 2$/);
});
