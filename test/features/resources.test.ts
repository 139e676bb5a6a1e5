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
  /** Lists the resources of a place. */
  list: string;
  query: object;
  /** A query to which a page token of the list does not belong. */
  otherQuery: object;
  /** The operation that adds resources, and the field of its input with their list. */
  add: string;
  itemsField: string;
  /** The field with the id of a resource, and that of an input, where it has another name. */
  id: string;
  inputId?: string;
  /** The field with its name. */
  nameField?: string;
  update?: string;
  /** The operation that deletes resources, and its field of ids. */
  remove?: [path: string, ids: string];
  /** Whether adding an existing one changes it. */
  upserts?: boolean;
}

const RESOURCES: Resource[] = [
  {
    noun: 'Organization',
    ...{ list: '/v2/organizations/get', query: {}, otherQuery: { organizationIds: ['id-1'] } },
    ...{ add: '/v2/organizations/add', itemsField: 'organizations', id: 'organizationId' },
    ...{ nameField: 'organizationName', update: '/v2/organizations/update' },
    remove: ['/v2/organizations/delete', 'organizationIds'],
  },
  {
    noun: 'Folder',
    ...{ list: '/v2/organizations/folders/get', query: { ...acme, maxDepth: 0 } },
    otherQuery: { organizationId: 'elsewhere' },
    ...{ add: '/v2/organizations/folders/add', itemsField: 'folders', id: 'folderId' },
    ...{ nameField: 'folderName', update: '/v1/organizations/folders/update' },
    remove: ['/v2/organizations/folders/delete', 'folderIds'],
  },
  {
    noun: 'Document',
    ...{
      list: '/v2/organizations/documents/get',
      query: acme,
      otherQuery: { documentIds: ['id-1'] },
    },
    ...{ add: '/v2/organizations/documents/add', itemsField: 'documents', id: 'id' },
    ...{
      inputId: 'documentId',
      nameField: 'documentName',
      update: '/v2/organizations/documents/update',
    },
    remove: ['/v2/organizations/documents/delete', 'documentIds'],
  },
  {
    noun: 'User group',
    ...{ list: '/v2/organizations/usergroups/get', query: acme },
    otherQuery: { organizationId: 'elsewhere' },
    ...{
      add: '/v2/organizations/usergroups/add',
      itemsField: 'organizationUserGroups',
      id: 'groupId',
    },
    ...{ nameField: 'groupName', upserts: true },
    remove: ['/v2/organizations/usergroups/delete', 'organizationUserGroupIds'],
  },
  {
    noun: 'User',
    ...{ list: '/v2/users/get', query: acme, otherQuery: { userIds: ['id-1'] } },
    ...{ add: '/v1/users/add', itemsField: 'users', id: 'userId', upserts: true },
    ...{ nameField: 'name', update: '/v2/users/update', remove: ['/v2/users/delete', 'userIds'] },
  },
  {
    noun: 'Recording',
    ...{ list: '/v2/recordings/get', query: plan, otherQuery: { documentId: 'other' } },
    ...{ add: '/v2/recordings/add', itemsField: 'recordings', id: 'recordingId' },
    remove: ['/v2/recordings/delete', 'recordingIds'],
  },
];

describe.each(RESOURCES)('$noun', (resource) => {
  const { noun, list, query, otherQuery, itemsField, id, nameField, upserts = false } = resource;
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
  const add = (rows: object[]) => server.ok(resource.add, dataFor(rows), headers);
  const update = (rows: object[]) => server.ok(resource.update ?? '', dataFor(rows), headers);
  const refusalOf = async (rows: object[]) =>
    (await server.call(resource.add, dataFor(rows), headers)).body;
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

  /** Returns all ids. Between two pages, it calls `between` with the number of ids so far. */
  async function pages(pageSize: number, between: (count: number) => Promise<unknown>) {
    const seen: string[] = [];
    for await (const { ids, pageToken } of pagesOf((token) =>
      page({ pageSize, pageToken: token }),
    )) {
      expect(ids.length).toBeLessThanOrEqual(pageSize);
      seen.push(...ids);
      if (pageToken) await between(seen.length);
    }
    return seen;
  }

  it.each([1, 3, 1000])('is returned once in pages of %i', async (pageSize) => {
    const seen = await pages(pageSize, (count) =>
      add([{ [idField]: `late-${count}` }, { [idField]: `a-${count}` }]),
    );
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((one) => one.startsWith('id-'))).toEqual(IDS);
  });

  it('keeps its id exactly as it was given, also an unusual one', async () => {
    await add(UNUSUAL_IDS.map((one) => ({ [idField]: one })));
    const seen = await pages(4, async () => undefined);
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
      const rows = [
        { ...row, ...own, color: 'red' },
        { ...row, color: 'blue' },
      ];
      expect(Object.keys(await add(rows))).toEqual(['own']);
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
          return process.ok(resource.add, { ...dataFor(batch), ...newOrganization }, headers);
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

  describe.runIf(resource.update)('that is updated', () => {
    it('changes its given fields, which is published with the previous state', async () => {
      const [name = '', one] = [nameField, { [idField]: 'one' }];
      await add([{ ...one, [name]: 'Old', color: 'red', size: 1 }]);
      const before = await shown('one');
      const change = { ...one, [name]: 'New', color: 'blue' };
      const events = await during(async () => {
        const done = { success: true, id: 'one', message: `${noun} updated.` };
        const message = `${noun} does not exist.`;
        expect(await update([change, { [idField]: 'nobody', [name]: 'x' }])).toEqual({
          one: done,
          nobody: { success: false, id: 'nobody', message },
        });
        // Nothing changes any more.
        expect(await update([change])).toEqual({ one: done });
      });
      const now = {
        ...before,
        [name]: 'New',
        color: 'blue',
        ...('initial' in before && { initial: 'N' }),
      };
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
      const heavy = (one: string, field: string) => ({
        [idField]: one,
        [field]: 'x'.repeat(9_000),
      });
      await update([heavy('id-1', 'one')]);
      const outcomes = await update([heavy('id-1', 'two'), heavy('id-2', 'two')]);
      expect(outcomes['id-1']).toMatchObject({
        success: false,
        message: expect.stringContaining('larger'),
      });
      expect(outcomes['id-2'].success).toBe(true);
      expect(await shown('id-1')).not.toHaveProperty('two');
    });
  });

  it('that is deleted is gone, which is published once with its last state', async () => {
    const [path = '', ids = ''] = resource.remove ?? [];
    const remove = (...given: string[]) => server.ok(path, { ...place, [ids]: given }, headers);
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
