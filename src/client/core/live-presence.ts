import { hashKey, type QueryClient, QueryObserver, skipToken } from '@tanstack/query-core';
import type { Presence, PresenceChangesItem } from '../../api/contract.ts';
import type { CollaborationClient } from '../create-client.ts';
import { follow } from '../follow.ts';
import { delay } from '../retry.ts';
import {
  type Collaboration,
  collaborationOf,
  type DocumentRef,
  documentKey,
} from './collaboration.ts';
import { type Live, live, run } from './live.ts';
import { loadSelf, observeSelf } from './self.ts';

/** The server considers users offline after 60 s without a renewal. */
const RENEWED_AFTER_MS = 20_000;

/** The presence in a document that the user's page announces. */
export interface Announcement {
  setStatus(status: string): void;
  /** Sends the status again. @param userId only if this is the current user */
  renew(userId?: string): Promise<void>;
  /**
   * Announces that the user is offline. A page that is being closed may send only the kind of call
   * that it sent before, so this is an update and not a deletion.
   */
  pause(): Promise<void>;
  /** Ends the presence of the user. */
  end(): Promise<void>;
}

function newAnnouncement(collaboration: Collaboration, place: DocumentRef): Announcement {
  const { presence } = collaboration.client;
  let announced: string | undefined;
  const self = () =>
    loadSelf(collaboration, place.organizationId).then(
      ({ userId }) => userId,
      () => undefined,
    );
  /** Never rejects, since the next renewal follows. */
  const send = async (status: string | undefined, userId: string | undefined) => {
    if (userId === undefined || status === undefined) return;
    const input = { ...place, users: [{ userId, status }] };
    await presence.update(input, { singleAttempt: true }).catch(() => {});
  };
  const renew = async (only?: string) => {
    const userId = await self();
    if (only === undefined || only === userId) await send(announced, userId);
  };
  return {
    setStatus(status) {
      if (status === announced) return;
      announced = status;
      void renew();
    },
    renew,
    async pause() {
      if (announced !== undefined) await send('offline', await self());
    },
    async end() {
      announced = undefined;
      const userId = await self();
      if (userId) await presence.delete({ ...place, userIds: [userId] }).catch(() => {});
    },
  };
}

const announcementOf = (collaboration: Collaboration, place: DocumentRef): Announcement =>
  collaboration.share(hashKey(['announcement', place]), () =>
    newAnnouncement(collaboration, place),
  );

/** Renews the presence until the signal fires. */
async function announce(
  collaboration: Collaboration,
  place: DocumentRef,
  signal: AbortSignal,
): Promise<void> {
  const announcement = announcementOf(collaboration, place);
  signal.addEventListener('abort', () => void announcement.end(), { once: true });
  while (!signal.aborted) {
    await delay(RENEWED_AFTER_MS, signal).catch(() => {});
    await announcement.renew();
  }
}

export interface PresenceInput {
  /** The status that others see, such as `away`; `online` by default. */
  status?: string | undefined;
  /** Pauses the announcement while the page is closed, until the signal fires. */
  watch?: ((announcement: Announcement, signal: AbortSignal) => void) | undefined;
}

export interface PresenceNow {
  /** The user, once the server has published the user's presence. */
  self: Presence | undefined;
  /** Everybody else who is in the document now. */
  others: Presence[];
}

const NOBODY: Presence[] = [];

const presenceKey = documentKey('presence');

/** The users in a document. The user is present while somebody is subscribed. */
export function livePresence(
  client: CollaborationClient,
  { organizationId, documentId, status = 'online', watch }: DocumentRef & PresenceInput,
): Live<PresenceNow> {
  const collaboration = collaborationOf(client);
  const place = { organizationId, documentId };
  const users = new QueryObserver<Presence[]>(collaboration.cache, {
    queryKey: presenceKey(place),
    queryFn: skipToken,
    initialData: NOBODY,
  });
  return live(collaboration, {
    sources: [users, observeSelf(collaboration, organizationId)],
    value: ({ data = NOBODY }, { data: user }): PresenceNow => ({
      self: data.find(({ userId }) => userId === user?.userId),
      others: user === undefined ? NOBODY : data.filter(({ userId }) => userId !== user.userId),
    }),
    start: () => {
      const ends = [
        run(collaboration, 'presence', place, followPresence),
        run(collaboration, 'announcement', place, (_collaboration, _place, signal) => {
          watch?.(announcementOf(collaboration, place), signal);
          return announce(collaboration, place, signal);
        }),
      ];
      announcementOf(collaboration, place).setStatus(status);
      return ends;
    },
  });
}

async function followPresence(
  collaboration: Collaboration,
  place: DocumentRef,
  signal: AbortSignal,
): Promise<void> {
  const { client, cache } = collaboration;
  const clear = () => void cache.setQueryData(presenceKey(place), NOBODY);
  await follow<PresenceChangesItem>(() => client.presence.changes(place, { signal }), {
    take: (item) => {
      receive(cache, place, item);
      // Another page of the user was closed, but this one is open.
      if (item.type === 'presence.update' && item.data.status === 'offline') {
        void announcementOf(collaboration, place).renew(item.data.userId);
      }
    },
    forget: clear,
    signal,
  });
  clear();
}

function receive(
  cache: QueryClient,
  place: DocumentRef,
  { type, data }: PresenceChangesItem,
): void {
  cache.setQueryData<Presence[]>(presenceKey(place), (before = NOBODY) => {
    if (type === 'presence.state') return data.filter(isHere);
    const { previous: _, ...user } = data;
    const at = before.findIndex((each) => each.userId === user.userId);
    if (at < 0) return isHere(user) ? [...before, user] : before;
    return isHere(user) ? before.with(at, user) : before.toSpliced(at, 1);
  });
}

const isHere = ({ status }: Presence): boolean => status !== 'offline';
