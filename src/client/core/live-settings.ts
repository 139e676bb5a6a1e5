import { MutationObserver, QueryObserver } from '@tanstack/query-core';
import type { NotificationPreference } from '../../api/contract.ts';
import type { CollaborationClient } from '../create-client.ts';
import type { CollaborationError } from '../error.ts';
import { collaborationOf, writeQueueOf } from './collaboration.ts';
import { createLive, type Live } from './live.ts';
import { FOCUS_STALE_MS, failureOf, oneAttempt } from './reads.ts';
import { loadSelf } from './self.ts';

export type NotificationSettings = NotificationPreference['config'];

export interface NotificationSettingsNow {
  settings: NotificationSettings | undefined;
  isLoading: boolean;
  /** Why the settings could not be read or saved. */
  error: CollaborationError | null;
  /** Shows the changed settings at once, and the old ones again if the change cannot be saved. */
  update(settings: Partial<NotificationSettings>): void;
  isSaving: boolean;
}

/**
 * The user's notification settings for the inbox and for email: `ALL`, `MINE` or `NONE`. With a
 * `documentId`, the settings for this document.
 */
export function liveNotificationSettings(
  client: CollaborationClient,
  { organizationId, documentId }: { organizationId: string; documentId?: string | undefined },
): Live<NotificationSettingsNow> {
  const collaboration = collaborationOf(client);
  const { cache } = collaboration;
  const documentIds = documentId === undefined ? undefined : [documentId];
  const queryKey = ['notification settings', organizationId, documentId];
  const writeQueue = writeQueueOf(collaboration, queryKey);
  const read = new QueryObserver<NotificationSettings | null>(cache, {
    staleTime: FOCUS_STALE_MS,
    queryKey,
    queryFn: async ({ signal }) => {
      const { userId } = await loadSelf(collaboration, organizationId);
      const input = { organizationId, userId, documentIds };
      const [preference] = await client.notifications.config.get(input, oneAttempt(signal));
      return preference?.config ?? null;
    },
  });
  const save = new MutationObserver<unknown, CollaborationError, Partial<NotificationSettings>>(
    cache,
    {
      networkMode: 'always',
      mutationFn: async (config) => {
        const { userId } = await loadSelf(collaboration, organizationId);
        const input = { organizationId, userId, documentIds, config };
        return client.notifications.config.set(input, { writeQueue });
      },
      // The mutation is pending until this read ends, so that the saved settings are shown until then.
      onSettled: () => cache.invalidateQueries({ queryKey }),
    },
  );
  return createLive(collaboration, {
    sources: [read, save],
    value: (query, saving): NotificationSettingsNow => ({
      settings: query.data
        ? { ...query.data, ...(saving.isPending && saving.variables) }
        : undefined,
      isLoading: query.isPending,
      error: saving.error ?? failureOf(query),
      update: (settings) => {
        const { isPending, variables } = save.getCurrentResult();
        save.mutate({ ...(isPending && variables), ...settings }).catch(() => {});
      },
      isSaving: saving.isPending,
    }),
  });
}
