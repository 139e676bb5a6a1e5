import { liveNotificationSettings, type NotificationSettingsNow } from '../core/live-settings.ts';
import { useOrganizationId } from './collaboration.tsx';
import { type ReadOptions, useLive } from './use-live.ts';

export interface NotificationSettingsOptions extends ReadOptions {
  /** By default, that of the nearest provider. */
  organizationId?: string;
  /** The settings for this document; by default those for the whole organization. */
  documentId?: string;
}

/** About what the user is notified in the inbox and by e-mail: `ALL`, `MINE` or `NONE`. */
export function useNotificationSettings({
  suspense,
  organizationId: given,
  documentId,
}: NotificationSettingsOptions = {}): NotificationSettingsNow {
  const organizationId = useOrganizationId(given);
  return useLive(liveNotificationSettings, { organizationId, documentId }, { suspense });
}
