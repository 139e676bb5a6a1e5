import { hashKey, type QueryClient, QueryObserver, skipToken } from '@tanstack/query-core';
import type { Presence, PresenceChangesItem } from '../../api/contract.ts';
import type { CollaborationClient } from '../create-client.ts';
import { follow } from '../follow.ts';
import {
  type Collaboration,
  collaborationOf,
  type DocumentRef,
  documentKey,
} from './collaboration.ts';
import { type Live, live } from './live.ts';
import { loadSelf, observeSelf } from './self.ts';

/** The server considers users offline after 60 s without a renewal. */
const RENEWED_AFTER_MS = 20_000;

export interface PresenceInput {
  /** The status that others see, such as `away`; `online` by default. */
  status?: string | undefined;
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
  { organizationId, documentId, status = 'online' }: DocumentRef & PresenceInput,
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
      const { value: announcement, end } = collaboration.runs.use(
        hashKey(['presence', place]),
        (signal) => {
          const started = announce(collaboration, place, signal);
          void followPresence(collaboration, place, started, signal);
          return started;
        },
      );
      announcement.setStatus(status);
      return [end];
    },
  });
}

/** The presence in a document that the user's page announces. */
type Announcement = ReturnType<typeof announce>;

/** Announces the user, once there is a status, and renews the presence until the signal fires. */
function announce(collaboration: Collaboration, place: DocumentRef, signal: AbortSignal) {
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
  /** Sends the status again; with an id, only if the current user has this id. */
  const renew = async (onlyId?: string) => {
    const userId = await self();
    if (onlyId === undefined || onlyId === userId) await send(announced, userId);
  };
  /**
   * Announces that the user is offline. A page that is being closed may send only the kind of call
   * that it sent before, so this is an update and not a deletion.
   */
  const pause = async () => {
    if (announced !== undefined) await send('offline', await self());
  };
  const end = async () => {
    announced = undefined;
    const userId = await self();
    if (userId) await presence.delete({ ...place, userIds: [userId] }).catch(() => {});
  };
  const timer = setInterval(() => void renew(), RENEWED_AFTER_MS);
  if (typeof document !== 'undefined') {
    addEventListener('pagehide', () => void pause(), { signal });
    const shown = ({ persisted }: PageTransitionEvent) => persisted && void renew();
    addEventListener('pageshow', shown, { signal });
  }
  signal.addEventListener('abort', () => {
    clearInterval(timer);
    void end();
  });
  return {
    setStatus(status: string): void {
      if (status === announced) return;
      announced = status;
      void renew();
    },
    renew,
  };
}

async function followPresence(
  { client, cache }: Collaboration,
  place: DocumentRef,
  announcement: Announcement,
  signal: AbortSignal,
): Promise<void> {
  const clear = () => void cache.setQueryData(presenceKey(place), NOBODY);
  await follow<PresenceChangesItem>(() => client.presence.changes(place, { signal }), {
    take: (item) => {
      receive(cache, place, item);
      // Another page of the user was closed, but this page is open.
      if (item.type === 'presence.update' && item.data.status === 'offline') {
        void announcement.renew(item.data.userId);
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
