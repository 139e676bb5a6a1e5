import { livePresence, type PresenceInput, type PresenceNow } from '../core/live-presence.ts';
import { watchPage } from '../watch-page.ts';
import { usePlace } from './collaboration.tsx';
import { useLive } from './use-live.ts';

export type PresenceOptions = Pick<PresenceInput, 'status'>;

/** The users in the document, live. The user is present while a component uses this hook. */
export const usePresence = ({ status }: PresenceOptions = {}): PresenceNow =>
  useLive(livePresence, { ...usePlace(), status, watch: watchPage });
