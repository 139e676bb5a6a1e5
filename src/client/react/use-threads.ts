import { liveThreads, type ThreadsInput, type ThreadsNow } from '../core/live-threads.ts';
import { usePlace } from './collaboration.tsx';
import { type ReadOptions, useLive } from './use-live.ts';

export interface ThreadsOptions extends ThreadsInput, ReadOptions {}

/** The comment threads of the document, live. */
export const useThreads = ({ suspense, ...input }: ThreadsOptions = {}): ThreadsNow =>
  useLive(liveThreads, { ...input, ...usePlace() }, { suspense });
