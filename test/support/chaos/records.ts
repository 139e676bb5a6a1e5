import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Loose, pagesOf } from '../answers.ts';
import { type Cluster, place } from './cluster.ts';
import type { Random } from './random.ts';

/** One of this many acknowledged writes is repeated once more. */
const REPEATED_EVERY = 4;
const { organizationId } = place;
let writers = 0;

/** A kind of resource that is added over REST. */
export interface RecordKind {
  /** Begins the name of each resource that a test adds. */
  name: string;
  add: { path: string; data(name: string): object };
  get: { path: string; data: object };
  eventType: string;
  /** The name of a resource, as read operations and events present it. */
  nameOf(resource: Loose): string;
}

export const recordKinds: RecordKind[] = [
  {
    name: 'document',
    add: {
      path: '/v2/organizations/documents/add',
      data: (documentId) => ({ organizationId, documents: [{ documentId }] }),
    },
    get: { path: '/v2/organizations/documents/get', data: { organizationId } },
    eventType: 'document.add',
    nameOf: ({ id }) => id,
  },
  {
    name: 'annotation',
    add: {
      path: '/v2/commentannotations/add',
      data: (commentText) => ({
        ...place,
        commentAnnotations: [{ commentData: [{ commentText, from: { userId: 'ada' } }] }],
      }),
    },
    get: { path: '/v2/commentannotations/get', data: place },
    eventType: 'comment_annotation.add',
    nameOf: ({ comments }) => comments[0].commentText,
  },
  {
    name: 'user',
    add: { path: '/v1/users/add', data: (userId) => ({ organizationId, users: [{ userId }] }) },
    get: { path: '/v2/users/get', data: { organizationId } },
    eventType: 'user.add',
    nameOf: ({ userId }) => userId,
  },
];

export type RecordWriter = ReturnType<typeof recordWriter>;

/** Adds one record after the other, and repeats each call until it is acknowledged. */
export function recordWriter(cluster: Cluster, kind: RecordKind, random: Random) {
  const id = ++writers;
  /** The names of the acknowledged records, in the order of their acknowledgement. */
  const names: string[] = [];
  const add = (name: string) =>
    cluster.acknowledged(kind.add.path, kind.add.data(name), `key-of-${name}`);
  return {
    kind,
    names,
    async run(isOver: () => boolean) {
      while (!isOver()) {
        const name = `${kind.name}-${id}-${names.length}`;
        const result = await add(name);
        names.push(name);
        if (random.below(REPEATED_EVERY) === 0) expect(await add(name)).toEqual(result);
        await sleep(random.between(10, 200));
      }
    },
  };
}

/** The names of all records of a kind. */
export async function storedNames(cluster: Cluster, kind: RecordKind): Promise<string[]> {
  const names: string[] = [];
  const read = (pageToken?: string) =>
    cluster.acknowledged(kind.get.path, { ...kind.get.data, pageToken });
  for await (const { data } of pagesOf(read)) names.push(...data.map(kind.nameOf));
  return names.filter((name) => name.startsWith(`${kind.name}-`));
}
