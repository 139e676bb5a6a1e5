import { type AccessNow, liveAccess } from '../core/live-access.ts';
import { usePlace } from './collaboration.tsx';
import { useLive } from './use-live.ts';

/** The user's access to the document (`role`, `canComment` and `canWrite`), live. */
export const useAccess = (): AccessNow => useLive(liveAccess, usePlace());
