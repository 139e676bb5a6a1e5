import type { Server } from 'node:http';
import type { LiveDocuments } from '../platform/live-documents.ts';

export interface Realtime {
  liveDocuments: LiveDocuments;
  serve(server: Server): void;
  stop(): Promise<void>;
}

export function createRealtime(_parts: unknown): Realtime {
  const missing = () => Promise.reject(new Error('not there'));
  return {
    liveDocuments: { edit: missing, read: missing, merge: missing },
    serve: () => undefined,
    stop: async () => undefined,
  };
}
