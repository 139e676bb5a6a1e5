import { beforeEach, describe, expect, it } from 'vitest';
import { invalid, type Loose, pagesOf, UNUSUAL_IDS } from '../support/answers.ts';
import { organize } from '../support/directory.ts';
import { eventsDuring } from '../support/events.ts';
import { createTenant, startTestServer } from '../support/server.ts';

/** Tests the behaviour that all resources with own ids share. */

const server = await startTestServer({ ROLES: 'api' });
/** Another process on the same database. */
const second = await startTestServer({ ROLES: 'api', DATABASE_URL: server.databaseUrl });
let headers: Record<string, string>;

const IDS = Array.from({ length: 7 }, (_, n) => `id-${n}`);
const acme = { organizationId: 'acme' };
const plan = { ...acme, documentId: 'plan' };
const NEW_ORGANIZATION = { organizationId: 'new', createOrganization: true };

interface Resource {
  noun: string;
  /** The paths of its operations begin with this, apart from those that `add` and `update` name. */
  base: string;
  /** A query that lists the resources of a place, and one to which its page tokens do not belong. */
  query: object;
  otherQuery: object;
  add?: string;
  /** The path of the operation, or null where there is none. */
  update?: string | null;
  /** The fields with the list of an addition, and with the ids of a deletion. */
  itemsField: string;
  idsField: string;
  /** The field with the id of a resource, and that of an input, where it has another name. */
  id: string;
  inputId?: string;
  /** The field with its name. */
  nameField?: string;
  /** Whether adding an existing one changes it. */
  upserts?: boolean;
}

const elsewhere = { organizationId: 'elsewhere' };

const RESOURCES: Resource[] = [
  {
    ...{ noun: 'Organization', base: '/v2/organizations' },
    ...{ query: {}, otherQuery: { organizationIds: ['id-1'] } },
    ...{ itemsField: 'organizations', idsField: 'organizationIds' },
    ...{ id: 'organizationId', nameField: 'organizationName' },
  },
  {
    ...{ noun: 'Folder', base: '/v2/organizations/folders' },
    ...{ query: { ...acme, maxDepth: 0 }, otherQuery: elsewhere },
    update: '/v1/organizations/folders/update',
    ...{ itemsField: 'folders', idsField: 'folderIds', id: 'folderId', nameField: 'folderName' },
  },
  {
    ...{ noun: 'Document', base: '/v2/organizations/documents' },
    ...{ query: acme, otherQuery: { documentIds: ['id-1'] } },
    ...{ itemsField: 'documents', idsField: 'documentIds' },
    ...{ id: 'id', inputId: 'documentId', nameField: 'documentName' },
  },
  {
    ...{ noun: 'User group', base: '/v2/organizations/usergroups', update: null, upserts: true },
    ...{ query: acme, otherQuery: elsewhere },
    ...{ itemsField: 'organizationUserGroups', idsField: 'organizationUserGroupIds' },
    ...{ id: 'groupId', nameField: 'groupName' },
  },
  {
    ...{ noun: 'User', base: '/v2/users', add: '/v1/users/add', upserts: true },
    ...{ query: acme, otherQuery: { userIds: ['id-1'] } },
    ...{ itemsField: 'users', idsField: 'userIds', id: 'userId', nameField: 'name' },
  },
  {
    ...{ noun: 'Recording', base: '/v2/recordings', update: null },
    ...{ query: plan, otherQuery: { documentId: 'other' } },
    ...{ itemsField: 'recordings', idsField: 'recordingIds', id: 'recordingId' },
  },
];

describe.each(RESOURCES)('$noun', (resource) => {
  const { noun, base, query, otherQuery, itemsField, id, nameField, upserts = false } = resource;
  const { update: updatePath = `${base}/update` } = resource;
  const list = `${base}/get`;
  const addPath = resource.add ?? `${base}/add`;
  const idField = resource.inputId ?? id;
  const event = noun.toLowerCase().replace(' ', '_');
  const place = { ...query, maxDepth: undefined };
  const required = noun === 'Recording' && {
    url: 'https://media.example.com/a.mp4',
    from: { userId: 'ada' },
  };

  const dataFor = (rows: object[]) => ({
    ...place,
    [itemsField]: rows.map((row) => ({ ...required, ...row })),
  });
  const add = (rows: object[]) => server.ok(addPath, dataFor(rows), headers);
  const update = (rows: object[]) => server.ok(updatePath ?? '', dataFor(rows), headers);
  const refusalOf = async (rows: object[]) =>
    (await server.call(addPath, dataFor(rows), headers)).body;
  const shown = async (objectId: string): Promise<Loose> =>
    (await server.ok(list, query, headers)).find((row: Loose) => row[id] === objectId);
  const during = (work: () => Promise<unknown>) => eventsDuring(server, work, headers);

  /** The part of a resource that events contain. */
  const stateOf = ({ memberCount: _, userIds: _users, ...state }: Loose) => state;

  beforeEach(async () => {
    headers = await createTenant(server);
    await organize(server, 'acme', { documents: ['other', 'plan'] }, headers);
    await organize(server, 'elsewhere', {}, headers);
    if (noun === 'Document') {
      const documents = { ...acme, documentIds: ['other', 'plan'] };
      await server.ok('/v2/organizations/documents/delete', documents, headers);
    }
    await add(IDS.map((one) => ({ [idField]: one })));
  });

  async function page(more: object) {
    const { result } = (await server.call(list, { ...query, ...more }, headers)).body;
    const ids: string[] = result.data.map((row: Loose) => row[id]);
    return { ids, pageToken: result.nextPageToken ?? result.pageToken };
  }

  it('is returned once in pages, also while others are added', async () => {
    const seen: string[] = [];
    for await (const { ids, pageToken } of pagesOf((token) =>
      page({ pageSize: 3, pageToken: token }),
    )) {
      expect(ids.length).toBeLessThanOrEqual(3);
      seen.push(...ids);
      const added = [`late-${seen.length}`, `a-${seen.length}`];
      if (pageToken) await add(added.map((one) => ({ [idField]: one })));
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((one) => one.startsWith('id-'))).toEqual(IDS);
  });

  it('keeps its id exactly as it was given, also an unusual one', async () => {
    await add(UNUSUAL_IDS.map((one) => ({ [idField]: one })));
    const seen = [];
    for await (const { ids } of pagesOf((pageToken) => page({ pageSize: 10, pageToken }))) {
      seen.push(...ids);
    }
    expect(seen).toEqual(expect.arrayContaining(UNUSUAL_IDS));
  });

  it('is listed by a page token with another size, but not with another query', async () => {
    const { ids, pageToken } = await page({ pageSize: 4 });
    const next = await page({ pageSize: 2, pageToken });
    expect((await page({ pageSize: 6 })).ids).toEqual([...ids, ...next.ids]);
    const answer = await server.call(list, { ...query, ...otherQuery, pageToken }, headers);
    expect(answer.body).toEqual(invalid('pageToken'));
  });

  // Recordings have no name: the last entry replaces earlier ones, and is not joined with them.
  it.runIf(nameField)("keeps the caller's own fields, and joins repeated entries", async () => {
    const own = { constructor: 'c', toString: { is: 't' }, 'ü/: 👩‍🚀': [1.5, null, { '': [] }] };
    const row = { [idField]: 'own' };
    const events = await during(async () => {
      const first = { ...row, ...own, color: 'red' };
      expect(Object.keys(await add([first, { ...row, color: 'blue' }]))).toEqual(['own']);
    });
    const added = await shown('own');
    expect(added).toMatchObject({ ...own, color: 'blue' });
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      [`${event}.add`, stateOf(added)],
    ]);
  });

  it.runIf(nameField)('has a bounded name and own fields, and a batch at most 1,000', async () => {
    const [name = '', half] = [nameField, 'x'.repeat(9_000)];
    // Lengths of names count UTF-16 units, of which an emoji is two. Own fields count as bytes.
    await add([{ [idField]: 'long', [name]: '😀'.repeat(500), note: 'é'.repeat(8_186) }]);
    const long = { [idField]: 'l', [name]: `${'😀'.repeat(500)}x` };
    expect(await refusalOf([long])).toEqual(invalid(`${itemsField}[0].${name}`));
    const large = { [idField]: 'l', note: 'é'.repeat(8_187) };
    expect(await refusalOf([{ [idField]: 'm' }, large])).toEqual(invalid(`${itemsField}[1]`));
    const halves = ['one', 'two'].map((field) => ({ [idField]: 'l', [field]: half }));
    expect(await refusalOf(halves)).toEqual(invalid(itemsField));
    const many = Array.from({ length: 1001 }, (_, number) => ({ [idField]: `many-${number}` }));
    expect(await refusalOf(many)).toEqual(invalid(itemsField));
    expect(Object.keys(await add(many.slice(1)))).toHaveLength(1000);
  });

  it('is added once by many callers of two processes at once, in any order of the batch, and the organization too', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `new-${index}`);
    const rows = ids.map((one) => ({ [idField]: one }));
    const createsOrganization = /^(?:Folder|Document|User)$/.test(noun);
    const newOrganization = createsOrganization && NEW_ORGANIZATION;
    let outcomes: Loose[] = [];
    const events = await during(async () => {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, caller) => {
          const turned = [...rows.slice(caller), ...rows.slice(0, caller)];
          const batch = caller % 2 === 0 ? turned : turned.toReversed();
          const process = caller % 3 === 0 ? second : server;
          return process.ok(addPath, { ...dataFor(batch), ...newOrganization }, headers);
        }),
      );
      outcomes = answers.flatMap((answer) => Object.values<Loose>(answer));
    });
    const added = outcomes.filter(({ message }) => message === `${noun} added.`);
    expect(added.map((outcome) => outcome.id).sort()).toEqual(ids.toSorted());
    expect(events.filter(({ type }) => type === `${event}.add`)).toHaveLength(ids.length);
    const organizations = events.filter(({ type }) => type === 'organization.add');
    if (createsOrganization) expect(organizations).toHaveLength(1);
  });

  it.runIf(!upserts)('that exists is not changed by being added again', async () => {
    const before = await shown('id-1');
    const events = await during(async () => {
      const row = { [idField]: 'id-1', ...(nameField && { [nameField]: 'Second' }), color: 'red' };
      const message = `${noun} already exists.`;
      expect(await add([row])).toEqual({ 'id-1': { success: false, id: 'id-1', message } });
    });
    expect(events).toEqual([]);
    expect(await shown('id-1')).toEqual(before);
  });

  describe.runIf(updatePath)('that is updated', () => {
    it('changes its given fields, the last of repeated ones, which is published with the previous state', async () => {
      const [name = '', one] = [nameField, { [idField]: 'one' }];
      await add([{ ...one, [name]: 'Old', color: 'red', size: 1 }]);
      const before = await shown('one');
      const change = { ...one, [name]: 'New', color: 'blue' };
      const events = await during(async () => {
        const done = { success: true, id: 'one', message: `${noun} updated.` };
        const message = `${noun} does not exist.`;
        const rows = [{ ...one, color: 'green' }, change, { [idField]: 'nobody', [name]: 'x' }];
        expect(await update(rows)).toEqual({
          one: done,
          nobody: { success: false, id: 'nobody', message },
        });
        // Nothing changes any more.
        expect(await update([change])).toEqual({ one: done });
      });
      const initial = 'initial' in before && { initial: 'N' };
      const now = { ...before, [name]: 'New', color: 'blue', ...initial };
      expect(await shown('one')).toEqual(now);
      expect(events.map(({ type, data }) => [type, data])).toEqual([
        [`${event}.update`, { ...now, previous: before }],
      ]);
      expect(await shown('nobody')).toBeUndefined();
    });

    it('gets the fields of all concurrent updates, in any order of the batch', async () => {
      const fields = Array.from({ length: 10 }, (_, index) => `field${index}`);
      await Promise.all(
        fields.map((field, at) => {
          const rows = IDS.map((one) => ({ [idField]: one, [field]: at }));
          return update(at % 2 ? rows : rows.toReversed());
        }),
      );
      const all = Object.fromEntries(fields.map((field, at) => [field, at]));
      for (const one of IDS) expect(await shown(one)).toMatchObject(all);
    });

    it('fails alone in its batch when its own fields exceed the limit after merging', async () => {
      const large = 'x'.repeat(9_000);
      const heavy = (one: string, field: string) => ({ [idField]: one, [field]: large });
      await update([heavy('id-1', 'one')]);
      const outcomes = await update([heavy('id-1', 'two'), heavy('id-2', 'two')]);
      const message = expect.stringContaining('larger');
      expect(outcomes['id-1']).toMatchObject({ success: false, message });
      expect(outcomes['id-2'].success).toBe(true);
      expect(await shown('id-1')).not.toHaveProperty('two');
    });
  });

  it('that is deleted is gone, which is published once with its last state', async () => {
    const remove = (...given: string[]) =>
      server.ok(`${base}/delete`, { ...place, [resource.idsField]: given }, headers);
    const before = stateOf(await shown('id-1'));
    const events = await during(async () => {
      const outcomes = await remove('id-1', 'nobody', 'id-1');
      const done = { success: true, id: 'id-1', message: `${noun} deleted.` };
      expect(outcomes['id-1']).toEqual(done);
      expect((await remove('id-1'))['id-1'].message).toBe(`${noun} does not exist.`);
    });
    expect(events.map(({ type, data }) => [type, data])).toEqual([[`${event}.delete`, before]]);
    expect(await shown('id-1')).toBeUndefined();
    expect(await shown('id-2')).toBeDefined();
  });
});
