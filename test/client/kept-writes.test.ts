import { expect, it, vi } from 'vitest';
import { KeptWrites } from '../../src/client/kept-writes.ts';

/** A storage that holds this text. */
function storageOf(text: string) {
  const storage = { text, getItem: () => storage.text, setItem: set };
  function set(_name: string, changed: string): void {
    storage.text = changed;
  }
  return storage;
}

const write = { path: 'comments.add', input: {}, idempotencyKey: 'key', userId: 'ada' };

it.each(['no JSON', 'null', '{"of":"another script"}'])(
  'a write is kept although the storage held %s',
  (text) => {
    const kept = new KeptWrites(storageOf(text));
    expect(kept.ofUser('ada')).toEqual([]);
    kept.add(write);
    expect(kept.ofUser('ada')).toMatchObject([write]);
  },
);

it('kept writes are removed from the storage when they are too old to be sent, whichever user made them', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const storage = storageOf('[]');
  const kept = new KeptWrites(storage);
  kept.add(write);
  vi.advanceTimersByTime(24 * 60 * 60_000);
  kept.add({ ...write, idempotencyKey: 'later', userId: 'bea' });
  expect(JSON.parse(storage.text)).toMatchObject([{ idempotencyKey: 'later' }]);
});
