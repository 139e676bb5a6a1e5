import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { NotificationPreference } from '../../api/contract.ts';
import type { CollaborationError } from '../error.ts';
import { useCollaboration, useOrganizationId } from './collaboration.tsx';
import { READS_ANEW_ON_FOCUS } from './reads.ts';
import { loadSelf } from './self.ts';
import type { ReadOptions } from './use-threads.ts';

export type NotificationSettings = NotificationPreference['config'];

export interface NotificationSettingsOptions extends ReadOptions {
  /** By default, that of the nearest provider. */
  organizationId?: string;
  /** The settings for this document; by default those for the whole organization. */
  documentId?: string;
}

export interface NotificationSettingsNow {
  settings: NotificationSettings | undefined;
  isLoading: boolean;
  /** Why they were not read, or not saved. */
  error: CollaborationError | null;
  /** Shows them at once, and takes them back if they cannot be saved. */
  update(settings: Partial<NotificationSettings>): void;
  isSaving: boolean;
}

/** About what the user is notified in the inbox and by e-mail: `ALL`, `MINE` or `NONE`. */
export function useNotificationSettings({
  suspense = false,
  organizationId: given,
  documentId,
}: NotificationSettingsOptions = {}): NotificationSettingsNow {
  const collaboration = useCollaboration();
  const { client, cache } = collaboration;
  const organizationId = useOrganizationId(given);
  const documentIds = documentId === undefined ? undefined : [documentId];
  const queryKey = ['notification settings', organizationId, documentId];
  const useIt = suspense ? useSuspenseQuery : useQuery;
  const query = useIt(
    {
      ...READS_ANEW_ON_FOCUS,
      queryKey,
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const { userId } = await loadSelf(collaboration, organizationId);
        const input = { organizationId, userId, documentIds };
        const [preference] = await client.notifications.config.get(input, { signal });
        return preference?.config ?? null;
      },
    },
    cache,
  );
  const saving = useMutation<unknown, CollaborationError, Partial<NotificationSettings>, unknown>(
    {
      networkMode: 'always',
      scope: { id: JSON.stringify(queryKey) },
      mutationFn: async (config) => {
        const { userId } = await loadSelf(collaboration, organizationId);
        return client.notifications.config.set({ organizationId, userId, documentIds, config });
      },
      // Until the settings are read anew, the hook shows what is being saved.
      onSettled: () => cache.invalidateQueries({ queryKey }),
    },
    cache,
  );
  const saved = query.data ?? undefined;
  return {
    settings: saved && { ...saved, ...(saving.isPending && saving.variables) },
    isLoading: query.isPending,
    error: saving.error ?? ((query.error ?? query.failureReason) as CollaborationError | null),
    update: saving.mutate,
    isSaving: saving.isPending,
  };
}
