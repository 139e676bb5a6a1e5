import { pagesOf } from '../../client/pages.ts';
import type { CollaborationClient } from '../../client/server.ts';

/** An item that two servers show differently, or that only one of them shows. */
interface Difference {
  kind: string;
  /** The position among the items of its kind. */
  at: number;
  /** The item that the first server shows there; undefined if it shows none. */
  ours: string | undefined;
  /** The same for the second server. */
  theirs: string | undefined;
}

export interface Comparison {
  compared: Record<string, number>;
  differences: Difference[];
}

const MAX_DIFFERENCES = 100;

type Items = AsyncIterable<unknown>;
type ReadItems = (client: CollaborationClient, organizationId: string) => Items;

/** The parts of an organization that are compared, as the API shows them. */
const KINDS: Record<string, ReadItems> = {
  organizations: (client, id) => items(client.organizations.pages({ organizationIds: [id] })),
  folders: (client, organizationId) => items(client.folders.pages({ organizationId })),
  documents: (client, organizationId) => items(client.documents.pages({ organizationId })),
  users: (client, organizationId) => items(client.users.pages({ organizationId })),
  permissions: (client, organizationId) =>
    itemsOfUsers(client, organizationId, async function* (userIds) {
      yield await client.permissions.get({ organizationId, userIds });
    }),
  userGroups: (client, organizationId) => items(client.userGroups.pages({ organizationId })),
  annotations: (client, organizationId) =>
    items(client.commentAnnotations.pages({ organizationId })),
  notifications: (client, organizationId) =>
    itemsOfDocuments(client, organizationId, (documentRef) =>
      items(client.notifications.pages(documentRef)),
    ),
  preferences: (client, organizationId) =>
    itemsOfUsers(client, organizationId, async function* (userIds) {
      const query = { organizationId, userIds };
      yield* await client.notifications.config.get(query);
      const pageSize = 30;
      for await (const { data } of client.documents.pages({ organizationId, pageSize })) {
        const documentIds = data.map(({ id }) => id);
        yield* await client.notifications.config.get({ ...query, documentIds });
      }
    }),
  unread: (client, organizationId) =>
    itemsOfUsers(client, organizationId, async function* (userIds) {
      for (const userId of userIds) {
        const reader = { organizationId, userId };
        const threads = await client.commentAnnotations.count(reader);
        yield { userId, threads, inbox: await client.notifications.unreadCount(reader) };
      }
    }),
  editors: (client, organizationId) =>
    itemsOfDocuments(client, organizationId, async function* (documentRef) {
      for (const editor of await client.crdt.get(documentRef)) {
        yield editor;
        const query = { ...documentRef, editorId: editor.id };
        yield* items(pagesOf((pageToken) => client.crdt.versions.list({ ...query, pageToken })));
      }
    }),
  recordings: (client, organizationId) =>
    itemsOfDocuments(client, organizationId, (documentRef) =>
      items(client.recordings.pages(documentRef)),
    ),
  activities: (client, organizationId) =>
    items(client.activities.pages({ organizationId, order: 'asc' })),
  activityLog: async function* (client, organizationId) {
    yield await client.activities.verify({ organizationId });
  },
  judgments: async function* (client, organizationId) {
    const query = { organizationId, limit: 100 };
    const pages = pagesOf((pageToken) => client.memory.judgments.query({ ...query, pageToken }));
    for await (const { data } of pages) yield* data.results;
  },
};

/** Yields those settings of a key that are in its archive. */
async function* settingsOf(client: CollaborationClient): AsyncGenerator<unknown> {
  const { aiModelApiKey: _, advancedQueries: __, ...config } = await client.apiKeyConfig.get({});
  yield config;
  yield await client.domains.get({});
  yield await client.activityConfig.get({});
  yield await client.notificationConfig.get({});
  yield await client.memory.alerts.config.get({});
}

/** Compares the settings of two keys, and adds the result to a comparison. */
export const compareSettings = (
  [ours, theirs]: readonly [CollaborationClient, CollaborationClient],
  comparison: Comparison,
): Promise<void> => compareItems('settings', [settingsOf(ours), settingsOf(theirs)], comparison);

/** Compares what two servers show of organizations. Reads both page by page, so that it needs little memory. */
export async function compareServers(
  [ours, theirs]: readonly [CollaborationClient, CollaborationClient],
  organizationIds: AsyncIterable<string> | Iterable<string>,
): Promise<Comparison> {
  const comparison: Comparison = { compared: {}, differences: [] };
  for await (const organizationId of organizationIds) {
    for (const [kind, read] of Object.entries(KINDS)) {
      const both = [read(ours, organizationId), read(theirs, organizationId)] as const;
      await compareItems(kind, both, comparison);
    }
  }
  return comparison;
}

async function compareItems(
  kind: string,
  [ours, theirs]: readonly [Items, Items],
  { compared, differences }: Comparison,
): Promise<void> {
  const left = ours[Symbol.asyncIterator]();
  const right = theirs[Symbol.asyncIterator]();
  for (let at = 0; ; at++) {
    const [one, other] = await Promise.all([left.next(), right.next()]);
    if (one.done && other.done) return;
    compared[kind] = (compared[kind] ?? 0) + 1;
    const texts = { ours: textOf(one), theirs: textOf(other) };
    if (texts.ours === texts.theirs) continue;
    if (differences.length < MAX_DIFFERENCES) differences.push({ kind, at, ...texts });
    // Once one side has ended, every further item would differ.
    if (one.done || other.done) return;
  }
}

/** Returns an item as comparable text, without its API key, which differs between the sides. */
function textOf({ done, value }: IteratorResult<unknown>): string | undefined {
  if (done) return undefined;
  return JSON.stringify(value, (name, item: unknown) => {
    if (name === 'apiKey') return undefined;
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

async function* items(pages: AsyncIterable<{ data: unknown }>): AsyncGenerator<unknown> {
  for await (const { data } of pages) {
    if (Array.isArray(data)) yield* data;
    else yield* Object.entries(data ?? {});
  }
}

async function* itemsOfUsers(
  client: CollaborationClient,
  organizationId: string,
  read: (userIds: string[]) => Items,
): AsyncGenerator<unknown> {
  for await (const { data } of client.users.pages({ organizationId, pageSize: 30 })) {
    if (data.length > 0) yield* read(data.map(({ userId }) => userId));
  }
}

async function* itemsOfDocuments(
  client: CollaborationClient,
  organizationId: string,
  read: (documentRef: { organizationId: string; documentId: string }) => Items,
): AsyncGenerator<unknown> {
  for await (const { data } of client.documents.pages({ organizationId })) {
    for (const { id: documentId } of data) yield* read({ organizationId, documentId });
  }
}
