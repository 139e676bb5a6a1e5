import { Redis as RedisExtension } from '@hocuspocus/extension-redis';
import type { onChangePayload } from '@hocuspocus/server';
import { Redis } from 'ioredis';
import type { Logger } from '../platform/logging.ts';
import type { LiveHocuspocus } from './live-hocuspocus.ts';

/** How long another process has to ask for our last edits before we go. */
export const FAREWELL_MS = 300;

/** Only brings documents together. It would also take turns at storing, which compaction need not. */
class Peers extends RedisExtension {
  override async onStoreDocument(): Promise<void> {}
  override async afterStoreDocument(): Promise<void> {}
}

/**
 * Brings editors of one document on several processes together. The tenant is in the names of
 * documents, and so in the names of channels.
 */
export function createRedisPeers(
  url: string,
  log: Logger,
  hocuspocus: () => LiveHocuspocus,
): RedisExtension {
  let connections = 0;
  const extension: RedisExtension = new Peers({
    prefix: 'live-documents',
    createClient: () => {
      const redis = new Redis(url, { maxRetriesPerRequest: 3 });
      redis.on('error', (error: Error) => log.warn({ err: error }, 'Redis cannot be reached.'));
      redis.on('ready', () => {
        // Both connections are there for the first time once two have been made.
        if (++connections > 2) compareNotes(extension, hocuspocus());
      });
      // The extension comes with its own version of ioredis, which differs in its types only.
      return redis as unknown as RedisExtension['pub'];
    },
  });
  return extension;
}

/** What was edited on either side while Redis was away has been told to nobody. */
function compareNotes(extension: RedisExtension, hocuspocus: LiveHocuspocus): void {
  for (const [documentName, document] of hocuspocus.documents) {
    // The extension looks at the document and its name only, and publishes what it holds.
    void extension.onChange({ documentName, document } as unknown as onChangePayload);
  }
}
