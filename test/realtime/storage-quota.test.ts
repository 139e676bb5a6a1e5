import { expect, it } from 'vitest';
import { measureStorage } from '../../src/features/quotas/measure-storage.ts';
import { connect, planServer } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { quotasOf } from '../support/quotas.ts';

const clock = { time: Date.now(), now: () => clock.time };
const { server, token, open, contentOf } = await planServer({}, { clock });

it('an editor whose key has used up its storage is read-only, receives the reason, is writable again when there is room, and counts its writes at once', async () => {
  const quotas = quotasOf(server, server.keyHeaders);
  const editor = await open('body');
  const messages: unknown[] = [];
  editor.provider.on('stateless', ({ payload }: { payload: string }) =>
    messages.push(JSON.parse(payload)),
  );
  editor.text.insert(0, 'before');
  await editor.sent();

  await quotas.set({ storageBytes: 1 });
  await eventually(async () => {
    await measureStorage(server.app.services);
    expect(editor.provider.authorizedScope).toBe('readonly');
    expect(messages).toEqual([{ status: 'RESOURCE_EXHAUSTED', quota: 'storage' }]);
  });
  editor.text.insert(0, 'while ');
  const late = connect({ url: server.url, name: 'acme/plan/late', token });
  await eventually(() => expect(late.provider.authorizedScope).toBe('readonly'));
  late.text.insert(0, 'late');
  expect(editor.provider.hasUnsyncedChanges).toBe(true);
  expect(await contentOf('body')).toBe('before');

  await quotas.set({ storageBytes: 1_000_000 });
  await eventually(async () => {
    expect(await contentOf('body')).toBe('while before');
    expect(await contentOf('late')).toBe('late');
  });
  await editor.sent();
  expect(editor.provider.authorizedScope).toBe('read-write');

  const used = async () => (await quotas.get()).storageBytes.used;
  const before = await used();
  editor.text.insert(0, 'x'.repeat(50_000));
  await eventually(async () => expect(await used()).toBeGreaterThanOrEqual(before + 50_000));
});
