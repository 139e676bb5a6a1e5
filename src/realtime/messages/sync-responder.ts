import { OutgoingMessage } from '@hocuspocus/server';
import { messageYjsSyncStep2 } from 'y-protocols/sync';
import { encodeStateAsUpdate, UpdateEncoderV1 } from 'yjs';
import { MAX_BYTES_AT_ONCE } from '../../features/crdt/worker/apply-in-parts.ts';
import type { Logger } from '../../platform/logging.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import { encodeInTurns } from '../documents/encode-in-turns.ts';
import type { LiveConnection } from '../live-connection.ts';
import { stateVectorOf } from '../sockets/addressed-message.ts';

interface Dependencies {
  store: DocumentStore;
  log: Logger;
}

/**
 * Sends clients the content that they lack. Each connection gets one reply at a time: the next one follows
 * when the client has read the last one and the outbox has room. Requests that arrive meanwhile get one
 * reply together. Edits do not wait for replies.
 */
export class SyncResponder {
  readonly #deps: Dependencies;
  readonly #replying = new WeakSet<LiveConnection>();

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Replies to the sync step 1 that the channel of the connection holds. */
  reply(connection: LiveConnection): void {
    if (this.#replying.has(connection)) return;
    this.#replying.add(connection);
    this.#replyToAll(connection)
      .catch((error: unknown) => {
        this.#deps.log.info({ err: error }, 'A sync request from an editor could not be handled.');
        connection.closeFor('INVALID_ARGUMENT');
      })
      .finally(() => this.#replying.delete(connection));
  }

  async #replyToAll(connection: LiveConnection): Promise<void> {
    const { channel } = connection;
    while (connection.isOpen) {
      await channel.outbox.whenRead();
      const release = await channel.outbox.reserve(this.#maxReplyBytes(connection));
      try {
        const syncStep1 = channel.takeSyncStep1();
        if (!syncStep1 || !connection.isOpen) return;
        await this.#sendMissing(connection, stateVectorOf(syncStep1));
      } finally {
        release();
      }
    }
  }

  #maxReplyBytes({ document }: LiveConnection): number {
    return this.#deps.store.find(document)?.size.bytes ?? 0;
  }

  /** Sends the server's own sync step 1, and then the missing content as sync step 2. */
  async #sendMissing(connection: LiveConnection, stateVector: Uint8Array): Promise<void> {
    const { document, messageAddress } = connection;
    const message = () => new OutgoingMessage(messageAddress).createSyncMessage();
    const isLarge = this.#maxReplyBytes(connection) > MAX_BYTES_AT_ONCE;
    const content = new UpdateEncoderV1();
    content.writeLen(messageYjsSyncStep2);
    content.writeBuf(
      isLarge
        ? await encodeInTurns(document, stateVector)
        : encodeStateAsUpdate(document, stateVector),
    );
    // The content may include changes that are not stored yet. This waits until they are: no client may receive them earlier.
    await this.#deps.store.find(document)?.staged.whenPublished();
    if (!document.hasConnection(connection)) return;
    connection.send(message().writeFirstSyncStepFor(document).toUint8Array());
    connection.send(Buffer.concat([message().toUint8Array(), content.toUint8Array()]));
  }
}
