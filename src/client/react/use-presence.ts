import { type QueryClient, skipToken, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Presence, PresenceChangesItem } from '../../api/contract.ts';
import { follow } from '../follow.ts';
import { announce, announcementOf } from './announce-presence.ts';
import { type Collaboration, type Place, useCollaboration, usePlace } from './collaboration.tsx';
import { useSelf } from './self.ts';
import { useRun } from './use-run.ts';

export interface PresenceOptions {
  /** The status that others see, such as `away`; `online` by default. */
  status?: string;
}

export interface PresenceNow {
  /** The user, once the server has published her presence. */
  self: Presence | undefined;
  /** Everybody else who is in the document now. */
  others: Presence[];
}

const NOBODY: Presence[] = [];
const presenceKey = ({ organizationId, documentId }: Place) => [
  'presence',
  organizationId,
  documentId,
];

/** The users in the document, live. The user is present while a component uses this hook. */
export function usePresence({ status = 'online' }: PresenceOptions = {}): PresenceNow {
  const collaboration = useCollaboration();
  const place = usePlace();
  const userId = useSelf()?.userId;
  useRun('presence', place, followPresence);
  useRun('announcement', place, announce);
  useEffect(() => announcementOf(collaboration, place).say(status), [collaboration, place, status]);
  const { data = NOBODY } = useQuery(
    { queryKey: presenceKey(place), queryFn: skipToken, initialData: NOBODY },
    collaboration.cache,
  );
  return {
    self: data.find((each) => each.userId === userId),
    others: userId === undefined ? NOBODY : data.filter((each) => each.userId !== userId),
  };
}

async function followPresence(
  collaboration: Collaboration,
  place: Place,
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
  });
  clear();
}

function receive(cache: QueryClient, place: Place, { type, data }: PresenceChangesItem): void {
  cache.setQueryData<Presence[]>(presenceKey(place), (before = NOBODY) => {
    if (type === 'presence.state') return data.filter(isHere);
    const { previous: _, ...user } = data;
    const at = before.findIndex((each) => each.userId === user.userId);
    if (at < 0) return isHere(user) ? [...before, user] : before;
    return isHere(user) ? before.with(at, user) : before.toSpliced(at, 1);
  });
}

const isHere = ({ status }: Presence): boolean => status !== 'offline';
