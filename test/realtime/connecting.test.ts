import { expect, it } from 'vitest';
import { connect, planServer } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { createNetwork } from '../support/network.ts';
import { startTestServer } from '../support/server.ts';
import { watchStatements } from '../support/statements.ts';

it('a change of access between its loading and that of the document is noticed', async () => {
  const { server: api, token } = await planServer({ ROLES: 'api' });
  const network = await createNetwork(api.databaseUrl);
  let isHeld = false;
  // A process that serves nobody yet. It gets the answer about the role only when that is outdated.
  const realtime = await startTestServer(
    { ROLES: 'realtime', DATABASE_URL: network.url },
    {
      onDatabase: ({ pool }) =>
        watchStatements(pool, (text) => {
          if (isHeld || !/FROM grants/.test(text)) return;
          isHeld = true;
          network.holdAnswers();
        }),
    },
  );
  const editor = connect({ url: realtime.url, name: 'acme/plan/body', token });
  await eventually(() => expect(isHeld).toBe(true));
  const users = [{ userId: 'ada', accessRole: 'viewer' }];
  await api.call('/v1/users/add', { organizationId: 'acme', documentId: 'plan', users });
  await api.app.services.events.sequence();
  network.releaseAnswers();
  await eventually(() => expect(editor.provider.synced).toBe(true));
  await eventually(() => expect(editor.provider.authorizedScope).toBe('readonly'));
});
