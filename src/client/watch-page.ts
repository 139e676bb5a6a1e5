import type { Announcement } from './core/announce-presence.ts';

/** Ends the user's presence when a browser's page is closed, until the signal fires. */
export function watchPage(announcement: Announcement, signal: AbortSignal): void {
  addEventListener('pagehide', () => void announcement.pause(), { signal });
  addEventListener('pageshow', ({ persisted }) => persisted && void announcement.renew(), {
    signal,
  });
}
