import { liveThread, type ThreadNow } from '../core/live-thread.ts';
import { usePlace } from './collaboration.tsx';
import { type ReadOptions, useLive } from './use-live.ts';

/** One thread, live. `thread` is undefined while it is loading, and when there is none. */
export const useThread = (annotationId: string, options: ReadOptions = {}): ThreadNow =>
  useLive(liveThread, { ...usePlace(), annotationId }, options);
