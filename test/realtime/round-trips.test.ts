import { describe, expect, it } from 'vitest';
import { planServer } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import type { RoundTrip } from '../support/statements.ts';

const EVENT_INTERVAL_MS = 5_000;

const clock = { time: Date.now(), now: () => clock.time };
const { server, open, call } = await planServer({ ROLES: 'api,realtime' }, { clock });

const update = (editorId: string, data: string) => call('update', { editorId, type: 'text', data });

/** An editor with content, which nobody has open yet. */
async function closed(editorId: string): Promise<string> {
  await call('add', { editorId, type: 'text', data: 'one' });
  return editorId;
}

async function opened(editorId: string): Promise<string> {
  await update(await closed(editorId), 'two');
  return editorId;
}

/** Whether statements are about content or the event, and not about users who have just appeared. */
const isOfUpdate = (sent: RoundTrip): boolean =>
  sent.some((text) => /crdt_|event_outbox/.test(text) && !text.includes('presence'));

/** How often an update waits for the database. */
async function waitsOf(editorId: string, data: string): Promise<number> {
  const waits = await server.roundTripsOf(() => update(editorId, data));
  return waits.filter(isOfUpdate).length;
}

describe('an update of content waits for the database', () => {
  it('once while the document is open, also for others who receive it, and to publish its event', async () => {
    const editorId = await opened('open');
    expect(await waitsOf(editorId, 'three')).toBe(1);
    const editor = await open(editorId);
    expect(await waitsOf(editorId, 'four')).toBe(1);
    await eventually(() => expect(editor.text.toString()).toBe('four'));
    clock.time += EVENT_INTERVAL_MS;
    expect(await waitsOf(editorId, 'five')).toBe(1);
  });

  it('also to open the document when it is closed', async () => {
    const facts = 1;
    const contentAndTombstone = 2;
    expect(await waitsOf(await closed('closed'), 'two')).toBe(facts + contentAndTombstone + 1);
  });
});
