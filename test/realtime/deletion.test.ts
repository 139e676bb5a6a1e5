import { expect, it } from 'vitest';
import { makePlan, openEditor, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer } from '../support/server.ts';

const one = await startTestServer();
/** Another process on the same database, with the document open. */
const two = await startTestServer({ DATABASE_URL: one.databaseUrl });
await makePlan(one);
const token = await userToken(one, 'ada', { accessRole: 'editor' });

it.each([0, 1, 2, 3])(
  'content that is deleted during edits at another process stays deleted (%i)',
  async (round) => {
    const editor = { organizationId: 'acme', documentId: 'plan', editorId: `raced-${round}` };
    const call = async (verb: string, more = {}) => {
      const { status, body } = await one.call(`/v2/crdt/${verb}`, { ...editor, ...more });
      expect(status).toBe(200);
      return body.result.data;
    };
    await call('add', { type: 'text', data: 'old' });
    const name = `acme/plan/${editor.editorId}`;
    const typist = await openEditor({ url: two.url, name, token });
    const deleted = call('delete');
    for (let at = 0; at < 20 && typist.refusals.length === 0; at++) {
      typist.text.insert(0, `typed `);
      // At the deletion, some edits are in transit, some in memory and some stored.
      if (at % (round + 2) === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await deleted;
    await eventually(() => expect(typist.refusals[0]).toBe('NOT_FOUND'));
    expect(await call('get')).toEqual([]);
    await call('add', { type: 'text', data: 'new' });
    const fresh = await openEditor({ url: two.url, name, token });
    expect(fresh.text.toString()).toBe('new');
    expect((await call('get'))[0].data).toBe('new');
  },
);
