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
import { createLive, type Live } from './live.ts';
import { loadSelf, observeSelf } from './self.ts';

/** How often the presence is renewed. The server considers users offline after 60 s without a renewal. */
const RENEWAL_MS = 20_000;

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

/** The users who are in a document. The current user is one of them while this value has subscribers. */
export function livePresence(
  client: CollaborationClient,
  { organizationId, documentId, status = 'online' }: DocumentRef & PresenceInput,
): Live<PresenceNow> {
  const collaboration = collaborationOf(client);
  const documentRef = { organizationId, documentId };
  const users = new QueryObserver<Presence[]>(collaboration.cache, {
    queryKey: presenceKey(documentRef),
    queryFn: skipToken,
    initialData: NOBODY,
  });
  return createLive(collaboration, {
    sources: [users, observeSelf(collaboration, organizationId)],
    value: ({ data = NOBODY }, { data: user }): PresenceNow => ({
      self: data.find(({ userId }) => userId === user?.userId),
      others: user === undefined ? NOBODY : data.filter(({ userId }) => userId !== user.userId),
    }),
    start: () => {
      const { value: announcement, release } = collaboration.runs.use(
        hashKey(['presence', documentRef]),
        (signal) => {
          const started = announce(collaboration, documentRef, signal);
          void followPresence(collaboration, documentRef, started, signal);
          return started;
        },
      );
      announcement.setStatus(status);
      return [release];
    },
  });
}

/** What `announce` returns, to change or renew the announced presence. */
type Announcement = ReturnType<typeof announce>;

/** Announces that the user is present, once there is a status, and renews this until the signal fires. */
function announce(collaboration: Collaboration, documentRef: DocumentRef, signal: AbortSignal) {
  const { presence } = collaboration.client;
  let announced: string | undefined;
  const readUserId = () =>
    loadSelf(collaboration, documentRef.organizationId).then(
      ({ userId }) => userId,
      () => undefined,
    );
  /** Sends a status. Never rejects: if this fails, the next renewal sends it again. */
  const send = async (status: string | undefined, userId: string | undefined) => {
    if (userId === undefined || status === undefined) return;
    const input = { ...documentRef, users: [{ userId, status }] };
    await presence.update(input, { singleAttempt: true }).catch(() => {});
  };
  /** Sends the announced status again; with `onlyId`, only if the current user has this id. */
  const renew = async (onlyId?: string) => {
    const userId = await readUserId();
    if (onlyId === undefined || onlyId === userId) await send(announced, userId);
  };
  /**
   * Announces that the user is offline. This is an update and not a deletion: a page that is being closed can
   * only send calls that need no new CORS preflight, and it has sent updates before.
   */
  const announceOffline = async () => {
    if (announced !== undefined) await send('offline', await readUserId());
  };
  const leave = async () => {
    announced = undefined;
    const userId = await readUserId();
    if (userId) await presence.delete({ ...documentRef, userIds: [userId] }).catch(() => {});
  };
  const timer = setInterval(() => void renew(), RENEWAL_MS);
  if (typeof document !== 'undefined') {
    addEventListener('pagehide', () => void announceOffline(), { signal });
    const renewIfRestored = ({ persisted }: PageTransitionEvent) => persisted && void renew();
    addEventListener('pageshow', renewIfRestored, { signal });
  }
  signal.addEventListener('abort', () => {
    clearInterval(timer);
    void leave();
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
  documentRef: DocumentRef,
  announcement: Announcement,
  signal: AbortSignal,
): Promise<void> {
  const clear = () => void cache.setQueryData(presenceKey(documentRef), NOBODY);
  await follow<PresenceChangesItem>(() => client.presence.changes(documentRef, { signal }), {
    onItem: (item) => {
      applyPresence(cache, documentRef, item);
      // If another page of the user was closed, this page announces the user again.
      if (item.type === 'presence.update' && item.data.status === 'offline') {
        void announcement.renew(item.data.userId);
      }
    },
    onGap: clear,
    signal,
  });
  clear();
}

function applyPresence(
  cache: QueryClient,
  documentRef: DocumentRef,
  { type, data }: PresenceChangesItem,
): void {
  cache.setQueryData<Presence[]>(presenceKey(documentRef), (before = NOBODY) => {
    if (type === 'presence.state') return data.filter(isHere);
    const { previous: _, ...user } = data;
    const at = before.findIndex((each) => each.userId === user.userId);
    if (at < 0) return isHere(user) ? [...before, user] : before;
    return isHere(user) ? before.with(at, user) : before.toSpliced(at, 1);
  });
}

const isHere = ({ status }: Presence): boolean => status !== 'offline';
