import { expect, it } from 'vitest';
import type { Database } from '../../src/platform/database/database.ts';
import { connect, planServer } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { refuseStatements } from '../support/statements.ts';

const database = { isAway: false };

/** A database that fails for loading content only. */
const refuseLoads = ({ pool }: Database) =>
  refuseStatements(pool, (text) => database.isAway && text.includes('c.snapshot'));
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
