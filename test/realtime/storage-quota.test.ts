import { describe, expect, it } from 'vitest';
import { measureStorage } from '../../src/features/quotas/measure-storage.ts';
import { connect, planServer } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { quotasOf } from '../support/quotas.ts';

const clock = { time: Date.now(), now: () => clock.time };
const { server, token, open, contentOf } = await planServer({}, { clock });

describe('an editor whose key has used up its storage', () => {
  it('is read-only, receives the reason, and is writable again when there is room', async () => {
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
  });

  it('counts its own writes before the next measurement', async () => {
    const quotas = quotasOf(server, server.keyHeaders);
    const used = async () => (await quotas.get()).storageBytes.used;
    await quotas.set({ storageBytes: 1_000_000 });
    const editor = await open('counted');
    const before = await used();
    editor.text.insert(0, 'x'.repeat(50_000));
    await editor.sent(20_000);
    await eventually(async () => expect(await used()).toBeGreaterThanOrEqual(before + 50_000));
  });
});
