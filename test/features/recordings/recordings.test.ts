import { describe, expect, it } from 'vitest';
import { removeFiles } from '../../../src/features/attachments/remove-files.ts';
import { dataOf, failureOf, fresh, invalid } from '../../support/answers.ts';
import { attachmentsOf } from '../../support/attachments.ts';
import { eventsOf } from '../../support/events.ts';
import { notificationsOf } from '../../support/notifications.ts';
import { testServer } from '../../support/server.ts';

const NOW = 1_800_000_000_000;

const server = testServer({}, { clock: { now: () => NOW } });
const calls = notificationsOf(server);

type Headers = Record<string, string>;
const add = (data: object, headers?: Headers) => server.call('/v2/recordings/add', data, headers);
const get = (data: object, headers?: Headers) => server.call('/v2/recordings/get', data, headers);
const remove = (data: object, headers?: Headers) =>
  server.call('/v2/recordings/delete', data, headers);

const ada = { userId: 'ada', name: 'Ada Lovelace' };
const recording = { url: 'https://media.example.com/a.mp4', from: ada };

async function newPlace() {
  const organizationId = fresh('org');
  await calls.addDocuments(organizationId, { plan: 'public', closed: 'restricted' });
  return { organizationId, documentId: 'plan' };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
const idsOf = (answer: any): string[] => dataOf(answer).map((one: any) => one.recordingId);

describe('recordings/add', () => {
  it('stores, returns and publishes the given fields', async () => {
    const place = await newPlace();
    const given = { ...recording, recordingId: 'r1', type: 'screen', durationMs: 5, mine: [1] };
    expect(dataOf(await add({ ...place, recordings: [given] }))).toEqual({
      r1: { success: true, id: 'r1', message: 'Recording added.' },
    });
    const metadata = { apiKey: server.quickstart.apiKey, ...place };
    const [shown] = dataOf(await get(place));
    expect(shown).toEqual({ ...given, createdAt: NOW, metadata });
    const [event, ...others] = await eventsOf(server, place.organizationId, ['recording.add']);
    expect(event?.data).toEqual(shown);
    expect(others).toEqual([]);
  });

  it('leaves an existing recording unchanged', async () => {
    const place = await newPlace();
    await add({ ...place, recordings: [{ ...recording, recordingId: 'r1' }] });
    const again = { ...recording, recordingId: 'r1', url: 'https://media.example.com/b.mp4' };
    expect(dataOf(await add({ ...place, recordings: [again, recording] })).r1.success).toBe(false);
    const shown = dataOf(await get({ ...place, recordingIds: ['r1', 'unknown'] }));
    expect(shown).toHaveLength(1);
    expect(shown[0].url).toBe(recording.url);
    expect(dataOf(await get(place))).toHaveLength(2);
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'ftp://example.com/a', '/relative', ''])(
    'refuses the URL "%s", also in fields of the caller',
    async (url) => {
      const place = await newPlace();
      for (const field of ['url', 'thumbnailUrl', 'posterUrl', 'URL']) {
        const answer = await add({ ...place, recordings: [{ ...recording, [field]: url }] });
        expect(answer.body, field).toEqual(invalid(`recordings[0].${field}`));
      }
    },
  );

  it('requires an author', async () => {
    const nobody = await add({ ...(await newPlace()), recordings: [{ url: recording.url }] });
    expect(nobody.body).toEqual(invalid('recordings[0].from'));
  });

  it('creates one recording from concurrent calls with the same id', async () => {
    const place = await newPlace();
    const recordings = ['b', 'a'].map((recordingId) => ({ ...recording, recordingId }));
    const answers = await Promise.all(
      [1, 2, 3, 4].map((n) =>
        add({ ...place, recordings: n % 2 ? recordings : recordings.toReversed() }),
      ),
    );
    const added = answers.filter((answer) => dataOf(answer).a.success);
    expect(added).toHaveLength(1);
    expect(await eventsOf(server, place.organizationId, ['recording.add'])).toHaveLength(2);
  });
});

describe('recordings/delete', () => {
  it('deletes, publishes, and returns an outcome for each', async () => {
    const place = await newPlace();
    const recordings = ['a', 'b'].map((recordingId) => ({ ...recording, recordingId }));
    await add({ ...place, recordings });
    expect(dataOf(await remove({ ...place, recordingIds: ['a', 'unknown'] }))).toEqual({
      a: { success: true, id: 'a', message: 'Recording deleted.' },
      unknown: { success: false, id: 'unknown', message: 'Recording does not exist.' },
    });
    expect(idsOf(await get(place))).toEqual(['b']);
    const events = await eventsOf(server, place.organizationId, ['recording.delete']);
    expect(events.map(({ data }) => data.recordingId)).toEqual(['a']);
  });

  it('deletes the file that a recording names, and no other', async () => {
    const place = await newPlace();
    const files = attachmentsOf(server);
    const [named, other] = [await files.upload(place), await files.upload(place)];
    const { attachmentId } = named;
    await add({ ...place, recordings: [{ ...recording, recordingId: 'a', attachmentId }] });
    const link = dataOf(await files.get(named)).url;
    expect((await fetch(link)).status).toBe(200);
    dataOf(await remove({ ...place, recordingIds: ['a'] }));
    expect(failureOf(await files.get(named)).reason).toBe('attachment_not_found');
    expect((await files.get(other)).status).toBe(200);
    await removeFiles(server.app.services);
    expect((await fetch(link)).status).toBe(404);
  });
});

describe('recordings with a user token', () => {
  it('belong to its user, who is set as the author and is the only one to delete them', async () => {
    const place = await newPlace();
    const userId = fresh('user');
    const headers = await calls.tokenOf(userId);
    const recordings = [{ ...recording, recordingId: 'mine' }];
    const denied = await add({ ...place, recordings }, headers);
    expect(failureOf(denied).status, 'a viewer').toBe('PERMISSION_DENIED');
    await calls.grant(userId, {
      type: 'document',
      id: 'plan',
      organizationId: place.organizationId,
    });
    await add({ ...place, recordings }, headers);
    await add({ ...place, recordings: [{ ...recording, recordingId: 'hers' }] });
    const [hers, mine] = dataOf(await get(place, headers));
    expect([hers.from, mine.from]).toEqual([ada, { userId }]);
    const answer = dataOf(await remove({ ...place, recordingIds: ['mine', 'hers'] }, headers));
    expect([answer.mine.success, answer.hers.success]).toEqual([true, false]);
    const files = attachmentsOf(server);
    const { attachmentId } = await files.upload(place);
    await add(
      { ...place, recordings: [{ ...recording, recordingId: 'hostile', attachmentId }] },
      headers,
    );
    dataOf(await remove({ ...place, recordingIds: ['hostile'] }, headers));
    expect((await files.get({ ...place, attachmentId })).status, 'a file of others').toBe(200);
    const agent = { agentId: 'writer', name: 'Writer' };
    const { token } = dataOf(await server.call('/v2/auth/generate_token', { userId, agent }));
    const theAgents = { authorization: `Bearer ${token}` };
    await add({ ...place, recordings: [{ ...recording, recordingId: 'said', agent }] }, headers);
    await add({ ...place, recordings: [{ ...recording, recordingId: 'known' }] }, theAgents);
    const [known, unknown] = dataOf(await get({ ...place, recordingIds: ['known', 'said'] }));
    expect([known.agent, unknown.agent]).toEqual([agent, undefined]);
    const closed = await get({ ...place, documentId: 'closed' }, headers);
    expect(failureOf(closed).status).toBe('PERMISSION_DENIED');
  });
});
