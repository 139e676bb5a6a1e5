import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failureOf, fresh, type Loose, UNUSUAL_IDS } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { testServer } from '../../support/server.ts';

/** The server's time in Unix seconds. */
let now = 1_800_000_000;
const NOW = now;
const server = testServer({ ROLES: 'api' }, { clock: { now: () => now * 1000 } });

const ask = (query: object) => server.call('/v2/auth/permissions/get', query);
const get = (query: object) => server.ok('/v2/auth/permissions/get', query);
const explain = (data: object) => server.ok('/v2/auth/permissions/explain', data);
const give = (userId: string, ...resources: object[]) =>
  server.ok('/v2/auth/permissions/add', { user: { userId }, permissions: { resources } });

/** The users have these grants, and the twin has those of Bob. */
const USERS = ['ada', 'bob', 'twin', 'nobody'];
const MAX_DEPTH = 100;

interface Grant {
  user: string;
  /** A folder or document by its number. A number that none has stands for the organization. */
  place: { type: string; number: number };
  accessRole: string;
  expiresAt: number | undefined;
}
interface Folder {
  accessType: string | undefined;
  parent: number | undefined;
}
interface Tree {
  /** How many folders are above all others. */
  above: number;
  folders: Folder[];
  documents: Folder[];
  grants: Grant[];
  /** Batches of moves. The last number stands for a parent that does not exist. */
  moves: Array<Array<{ folder: number; parent: number | undefined }>>;
}

const type = fc.constantFrom(undefined, 'public', 'organizationPrivate', 'restricted');
const optional = (max: number) => fc.option(fc.nat(max), { nil: undefined });
const trees: fc.Arbitrary<Tree> = fc.record({
  above: fc.constantFrom(0, MAX_DEPTH - 4),
  folders: fc.array(fc.record({ parent: optional(6), accessType: type }), {
    minLength: 6,
    maxLength: 6,
  }),
  documents: fc.array(fc.record({ parent: optional(5), accessType: type }), { maxLength: 4 }),
  grants: fc.array(
    fc.record({
      user: fc.constantFrom('ada', 'bob'),
      place: fc.record({
        type: fc.constantFrom('organization', 'folder', 'folder', 'document'),
        number: fc.nat(5),
      }),
      accessRole: fc.constantFrom('viewer', 'editor'),
      expiresAt: fc.constantFrom(undefined, NOW, NOW + 1, NOW - 1),
    }),
    { maxLength: 12 },
  ),
  moves: fc.array(
    fc.uniqueArray(fc.record({ folder: fc.nat(5), parent: optional(6) }), {
      selector: ({ folder }) => folder,
      maxLength: 4,
    }),
    { maxLength: 3 },
  ),
});

/** The folder and those above it, without the common ones. */
const chainOf = (folders: Folder[], number: number | undefined): number[] =>
  number === undefined ? [] : [number, ...chainOf(folders, folders[number]?.parent)];
const heightOf = (folders: Folder[], number: number): number =>
  Math.max(
    ...folders.map((_, other) => {
      const chain = chainOf(folders, other);
      return chain.indexOf(number) + 1;
    }),
  );

/** Moves the folder, unless the rules forbid it. */
function moveFolder({ above, folders }: Tree, number: number, parent: number | undefined): boolean {
  const target = chainOf(folders, parent);
  const folder = folders[number];
  if (!folder || (parent !== undefined && !folders[parent]) || target.includes(number))
    return false;
  if (above + target.length + heightOf(folders, number) > MAX_DEPTH) return false;
  folder.parent = parent;
  return true;
}

const idOf = (number: number) => `n${number}`;

/** Creates the tree in an organization of its own, makes its moves, and returns the moved tree. */
async function createTree(given: Tree): Promise<{ organizationId: string; tree: Tree }> {
  const folders = given.folders.map((folder): Folder => ({ ...folder, parent: undefined }));
  const tree = { ...given, folders };
  const { above, documents, grants, moves } = tree;
  // A folder is below an earlier one, as deep as may be.
  for (const [number, { parent }] of given.folders.entries()) {
    if (parent !== undefined && parent < number) moveFolder(tree, number, parent);
  }
  const common = Array.from({ length: above }, (_, at) => ({
    folderId: `above-${at}`,
    parentFolderId: at === 0 ? undefined : `above-${at - 1}`,
  }));
  const root = common.at(-1)?.folderId;
  const parentOf = (parent: number | undefined) => (parent === undefined ? root : idOf(parent));
  const organizationId = await organize(server, fresh('org'), {
    folders: [
      ...common,
      ...folders.map(({ accessType, parent }, number) => ({
        folderId: idOf(number),
        accessType,
        parentFolderId: parentOf(parent),
      })),
    ],
    documents: documents.map(({ accessType, parent }, number) => ({
      ...{ documentId: idOf(number), accessType },
      ...(parent !== undefined && { folderId: idOf(parent) }),
    })),
  });
  for (const { user, place, ...grant } of grants) {
    const id = place.type === 'organization' ? organizationId : idOf(place.number);
    if (place.type === 'document' && !documents[place.number]) continue;
    for (const userId of user === 'bob' ? ['bob', 'twin'] : [user]) {
      await give(userId, { type: place.type, id, organizationId, ...grant });
    }
  }
  for (const batch of moves.filter(({ length }) => length > 0)) {
    const moved = batch.map(({ folder, parent }) => ({
      folderId: idOf(folder),
      parentFolderId: parentOf(parent) ?? null,
    }));
    const update = { organizationId, folders: moved };
    const outcomes = await server.ok('/v1/organizations/folders/update', update);
    for (const { folder, parent } of batch) {
      const isMoved = moveFolder(tree, folder, parent);
      expect(outcomes[idOf(folder)].success).toBe(isMoved);
    }
  }
  return { organizationId, tree };
}

/**
 * The rules of decisions section 4, implemented independently of the code. The verdicts are those from the
 * nearest place outwards, up to the one that decides.
 */
function accessByRules(tree: Tree, user: string, place: Grant['place']) {
  const { above, folders, documents, grants } = tree;
  const isDocument = place.type === 'document';
  const document = documents[place.number];
  const chain = chainOf(folders, isDocument ? document?.parent : place.number);
  const places = [
    ...(isDocument ? [place] : []),
    ...chain.map((number) => ({ type: 'folder', number })),
  ];
  const typed = chain.flatMap((number) => folders[number]?.accessType ?? []);
  const own = isDocument && chain.length === 0 ? document?.accessType : typed[0];
  const accessType = place.type === 'organization' ? 'organizationPrivate' : (own ?? 'public');
  const of = user === 'twin' ? 'bob' : user;
  const grantOn = ({ type, number }: Grant['place']) =>
    grants.findLast(
      (grant) =>
        grant.user === of &&
        grant.place.type === type &&
        (type === 'organization' || grant.place.number === number),
    );
  const verdicts: string[] = [];
  const inside = place.type === 'organization' ? [] : places;
  const inRoot = isDocument && chain.length === 0;
  const common = inRoot || inside.length === 0 ? 0 : above;
  const outside = Array.from({ length: common }, () => undefined);
  for (const at of [...inside, ...outside, { type: 'organization', number: 0 }]) {
    const grant = at && grantOn(at);
    const isOpen = at?.type !== 'organization' || accessType !== 'restricted';
    const isOver = grant?.expiresAt !== undefined && grant.expiresAt <= NOW;
    const verdict = !grant ? 'absent' : isOver ? 'expired' : isOpen ? 'decides' : 'restricted';
    verdicts.push(verdict);
    if (verdict === 'decides') return { accessType, role: grant?.accessRole, verdicts };
  }
  return { accessType, role: accessType === 'public' ? 'viewer' : undefined, verdicts };
}

it('the access of a user follows the nearest grant, wherever folders were moved, and explanations agree with it', async () => {
  await fc.assert(
    fc.asyncProperty(trees, async (given) => {
      const { organizationId, tree } = await createTree(given);
      const numbersOf = (type: string) =>
        (type === 'folder' ? tree.folders : tree.documents).keys();
      const ids = {
        folderIds: [...numbersOf('folder')].map(idOf),
        documentIds: [...numbersOf('document')].map(idOf),
      };
      const permissions = await get({ organizationId, userIds: USERS, ...ids });
      for (const userId of USERS) {
        const { organization, folders, documents } = permissions[userId];
        const compare = async (type: string, number: number, entry: Loose, named: object) => {
          const { accessType, role, verdicts } = accessByRules(tree, userId, { type, number });
          const { accessRole, errorCode } = entry;
          const expected = [accessType, role, role ? undefined : 'permission_denied'];
          expect([entry.accessType, accessRole, errorCode]).toEqual(expected);
          if (userId === 'twin' || userId === 'nobody') return;
          const { decision, steps } = await explain({ organizationId, userId, ...named });
          expect(decision).toEqual(entry);
          const grants = steps.filter(({ step }: { step: string }) => step === 'grant');
          expect(grants.map(({ outcome }: { outcome: string }) => outcome)).toEqual(verdicts);
        };
        await compare('organization', 0, organization[organizationId], {});
        for (const type of ['folder', 'document']) {
          for (const number of numbersOf(type)) {
            const entries = type === 'folder' ? folders : documents;
            await compare(type, number, entries[idOf(number)], { [`${type}Id`]: idOf(number) });
          }
        }
      }
    }),
    { numRuns: 15 },
  );
});

describe('auth/permissions/get', () => {
  it('returns an entry for each user, with only the requested parts', async () => {
    const organizationId = await organize(server, fresh('org'), {
      folders: ['f'],
      documents: [{ documentId: 'in f', folderId: 'f' }],
    });
    await give('ada', { type: 'organization', id: organizationId });
    const accessRole = 'editor';
    const organization = { [organizationId]: { accessRole, accessType: 'organizationPrivate' } };
    const entry = { accessRole, accessType: 'public' };
    expect((await ask({ organizationId, userIds: ['ada'] })).body.result).toEqual({
      status: 'success',
      message: 'User permissions retrieved successfully.',
      data: { ada: { organization } },
    });
    const query = { organizationId, userIds: ['ada'], folderIds: ['f'], documentIds: ['in f'] };
    expect(await get(query)).toEqual({
      ada: { organization, folders: { f: entry }, documents: { 'in f': entry } },
    });
  });

  it('keeps every id exactly as it was given, also unusual ones', async () => {
    const ids = UNUSUAL_IDS;
    const organizationId = await organize(server, fresh('org/ :é'), {
      folders: ids.map((folderId) => ({ folderId, accessType: 'restricted' })),
      documents: ids,
    });
    const [first = ''] = ids;
    await give(first, { type: 'folder', id: first, organizationId });
    const query = { organizationId, userIds: ids, folderIds: ids, documentIds: ids };
    const answer = await get(query);
    expect(Object.keys(answer).sort()).toEqual([...ids].sort());
    for (const id of ids) {
      expect(answer[id].documents[id].accessRole).toBe('viewer');
      expect(answer[id].folders[id].accessRole).toBe(id === first ? 'editor' : undefined);
    }
  });

  it('answers for 1,000 users, and for no more than a bounded number of entries', async () => {
    const organizationId = await organize(server, fresh('org'));
    const ids = Array.from({ length: 1000 }, (_, index) => `id${index}`);
    expect(Object.keys(await get({ organizationId, userIds: ids }))).toHaveLength(1000);
    const some = ids.slice(0, 400);
    const query = { organizationId, userIds: some, folderIds: some, documentIds: some };
    expect(failureOf(await ask(query)).status).toBe('INVALID_ARGUMENT');
  });

  it('lists the access context sorted, without duplicates, until its grant expires', async () => {
    const organizationId = await organize(server, fresh('org'), { folders: ['f'] });
    const [holder, other] = [fresh('holder'), fresh('other')];
    const onOrganization = { type: 'organization', id: organizationId };
    const onFolder = { type: 'folder', id: 'f', organizationId, expiresAt: now + 60 };
    const access = { team: ['red', 'blue'], constructor: ['x'], a: ['b:c'] };
    const inFolder = { ...onFolder, context: { access: { team: ['green', 'red'] } } };
    await give(holder, { ...onOrganization, context: { access } }, inFolder);
    await give(other, onOrganization);
    const query = { organizationId, userIds: [holder, other], folderIds: ['f'] };
    const fields = async () => (await get(query))[holder].context.accessFields;
    const lasting = ['a:b:c', 'constructor:x', 'team:blue', 'team:red'];
    expect((await fields()).toSorted()).toEqual([...lasting, 'team:green'].sort());
    expect(await fields()).toEqual((await fields()).toSorted());
    expect((await get(query))[other]).not.toHaveProperty('context');
    now = onFolder.expiresAt;
    expect(await fields()).toEqual(lasting);
    now = NOW;
  });

  it('is NOT_FOUND for missing places, beside the entries of the others', async () => {
    const content = (name: string) => ({ folders: [name], documents: [name] });
    await organize(server, fresh('org'), content('theirs'));
    const organizationId = await organize(server, fresh('org'), content('there'));
    const ids = ['there', 'theirs'];
    const query = { organizationId, userIds: ['x', 'y'], folderIds: ids, documentIds: ids };
    const { error } = (await ask(query)).body;
    const missing = {
      error: expect.stringContaining('does not exist'),
      errorCode: 'does_not_exist',
    };
    const entries = { there: { accessRole: 'viewer', accessType: 'public' }, theirs: missing };
    const entry = { folders: entries, documents: entries };
    expect(error).toMatchObject({ status: 'NOT_FOUND', details: { x: entry, y: entry } });
    expect(error.message).toMatch(/(Folder|Document) does not exist/);
    const nowhere = (await ask({ organizationId: 'nowhere', userIds: ['x'] })).body.error;
    expect(nowhere.message).toContain('Organization does not exist');
    expect(nowhere.details).toEqual({ x: { organization: { nowhere: missing } } });
  });
});

describe('permissions/explain', () => {
  it('returns the source of the access type, and whether the grant on each resource decides', async () => {
    const organizationId = await organize(server, fresh('org'), {
      folders: [
        { folderId: 'legal', accessType: 'restricted' },
        { folderId: 'contracts', parentFolderId: 'legal' },
      ],
      documents: [{ documentId: 'lease', folderId: 'contracts' }],
    });
    const ended = { accessRole: 'viewer', expiresAt: NOW };
    await give(
      'ada',
      { type: 'organization', id: organizationId, accessRole: 'editor' },
      { type: 'folder', id: 'contracts', organizationId, ...ended },
    );
    const query = { organizationId, userId: 'ada', documentId: 'lease' };
    const { decision, steps } = await explain(query);
    expect(decision.error).toBe('The user has no access to this document.');
    expect(steps.map(({ message }: Loose) => message)).toEqual([
      'It is restricted, like the folder legal.',
      'The document lease: the user has no role here.',
      'The folder contracts: the role that the user had here has expired.',
      'The folder legal: the user has no role here.',
      `The organization ${organizationId}: a role here does not give access to restricted resources.`,
      'Without a role on it or on a folder above it, nobody has access to it.',
    ]);
    const [type, , contracts] = steps;
    expect(type).toMatchObject({ step: 'accessType', resource: { type: 'folder', id: 'legal' } });
    expect(contracts).toMatchObject({ resource: { type: 'folder', id: 'contracts' }, ...ended });
    expect(steps.at(-1)).toMatchObject({ step: 'noGrant', accessType: 'restricted' });

    // The deciding grant is the last step.
    const until = { expiresAt: NOW + 60, context: { access: { department: ['legal'] } } };
    const grant = { accessRole: 'viewer', ...until };
    await give('ada', { type: 'folder', id: 'legal', organizationId, ...grant });
    const decided = await explain({ organizationId, userId: 'ada', folderId: 'contracts' });
    const { accessRole, expiresAt } = grant;
    expect(decided.decision).toEqual({ accessRole, accessType: 'restricted', expiresAt });
    expect(decided.steps.at(-1)).toMatchObject({ outcome: 'decides', ...grant });
  });
});
