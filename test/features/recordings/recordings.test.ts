import { describe, expect, it } from 'vitest';
import { removeFiles } from '../../../src/features/attachments/remove-files.ts';
import { userHeaders } from '../../support/annotations.ts';
import { failureOf, fresh, type Headers, invalid } from '../../support/answers.ts';
import { attachmentsOf } from '../../support/attachments.ts';
import { eventsOf } from '../../support/events.ts';
import { testServer } from '../../support/server.ts';

/** What recordings share with other resources is in resources.test.ts, and who may write them in test/contract. */

const NOW = 1_800_000_000_000;

const server = testServer({ ROLES: 'api' }, { clock: { now: () => NOW } });
const files = attachmentsOf(server);

const add = (place: object, recording: object, headers?: Headers) =>
  server.call('/v2/recordings/add', { ...place, recordings: [recording] }, headers);
const remove = (place: object, recordingId: string, headers?: Headers) =>
  server.ok('/v2/recordings/delete', { ...place, recordingIds: [recordingId] }, headers);
const get = (place: object) => server.ok('/v2/recordings/get', place);

const ada = { userId: 'ada', name: 'Ada Lovelace' };
const recording = { url: 'https://media.example.com/a.mp4', from: ada };

describe('recordings/add', () => {
  it('stores, returns and publishes the given fields', async () => {
    const place = await files.newPlace();
    const given = { ...recording, recordingId: 'r1', type: 'screen', durationMs: 5, mine: [1] };
    expect((await add(place, given)).status).toBe(200);
    const metadata = { apiKey: server.quickstart.apiKey, ...place };
    const [shown] = await get(place);
    expect(shown).toEqual({ ...given, createdAt: NOW, metadata });
    const events = await eventsOf(server, place.organizationId, ['recording.add']);
    expect(events.map(({ data }) => data)).toEqual([shown]);
  });

  it('refuses other URLs than those of the web, also in fields of the caller, and none without an author', async () => {
    const place = await files.newPlace();
    for (const url of [
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://example.com/a',
      '/a',
      '',
    ]) {
      for (const field of ['url', 'thumbnailUrl', 'posterUrl', 'URL']) {
        const { body } = await add(place, { ...recording, [field]: url });
        expect(body, field).toEqual(invalid(`recordings[0].${field}`));
      }
    }
    const { body } = await add(place, { url: recording.url });
    expect(body).toEqual(invalid('recordings[0].from'));
  });
});

it('a deleted recording takes the file that it names with it, and no other', async () => {
  const place = await files.newPlace();
  const [named, other] = [await files.upload(place), await files.upload(place)];
  await add(place, { ...recording, recordingId: 'a', attachmentId: named.attachmentId });
  const { url } = await server.ok('/v2/attachments/get', named);
  expect((await fetch(url)).status).toBe(200);
  await remove(place, 'a');
  expect(failureOf(await files.get(named)).reason).toBe('attachment_not_found');
  expect((await files.get(other)).status).toBe(200);
  await removeFiles(server.app.services);
  expect((await fetch(url)).status).toBe(404);
});

it('a recording of a user deletes no file of others, and names no agent but that of the token', async () => {
  const place = await files.newPlace();
  const { organizationId } = place;
  const userId = fresh('user');
  const headers = await userHeaders(server, userId, [
    { type: 'document', id: 'plan', organizationId },
  ]);
  const { attachmentId } = await files.upload(place);
  await add(place, { ...recording, recordingId: 'hostile', attachmentId }, headers);
  await remove(place, 'hostile', headers);
  expect((await files.get({ ...place, attachmentId })).status).toBe(200);
  const agent = { agentId: 'writer', name: 'Writer' };
  const { token } = await server.ok('/v2/auth/generate_token', { userId, agent });
  const theAgents = { authorization: `Bearer ${token}` };
  await add(place, { ...recording, recordingId: 'said', agent }, headers);
  await add(place, { ...recording, recordingId: 'known' }, theAgents);
  const [known, said] = await get(place);
  expect([known.agent, said.agent]).toEqual([agent, undefined]);
});
