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
 * Sends clients the content that they lack. Each connection is sent one answer at a time: the next one
 * follows when the client has read the last one and there is room. Requests that arrive meanwhile are
 * answered together. Edits do not wait for answers.
 */
export class SyncResponder {
  readonly #deps: Dependencies;
  readonly #answering = new WeakSet<LiveConnection>();

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Answers the sync step 1 that the socket holds for the connection. */
  answer(connection: LiveConnection): void {
    if (this.#answering.has(connection)) return;
    this.#answering.add(connection);
    this.#answerAll(connection)
      .catch((error: unknown) => {
        this.#deps.log.info({ err: error }, 'A sync request of an editor cannot be answered.');
        connection.closeFor('INVALID_ARGUMENT');
      })
      .finally(() => this.#answering.delete(connection));
  }

  async #answerAll(connection: LiveConnection): Promise<void> {
    const { channel } = connection;
    while (connection.isOpen) {
      await channel.outbox.whenRead();
      const release = await channel.outbox.reserve(this.#largestAnswer(connection));
      try {
        const syncStep1 = channel.takeSyncStep1();
        if (!syncStep1 || !connection.isOpen) return;
        await this.#sendMissing(connection, stateVectorOf(syncStep1));
      } finally {
        release();
      }
    }
  }

  #largestAnswer({ document }: LiveConnection): number {
    return this.#deps.store.find(document)?.size.bytes ?? 0;
  }

  /** Sends the server's own sync step 1, and then the missing content as sync step 2. */
  async #sendMissing(connection: LiveConnection, stateVector: Uint8Array): Promise<void> {
    const { document, messageAddress } = connection;
    const message = () => new OutgoingMessage(messageAddress).createSyncMessage();
    const isLarge = this.#largestAnswer(connection) > MAX_BYTES_AT_ONCE;
    const content = new UpdateEncoderV1();
    content.writeLen(messageYjsSyncStep2);
    content.writeBuf(
      isLarge
        ? await encodeInTurns(document, stateVector)
        : encodeStateAsUpdate(document, stateVector),
    );
    // The content may have changes that are not stored yet, which the client must not receive before.
    await this.#deps.store.find(document)?.staged.whenPublished();
    if (!document.hasConnection(connection)) return;
    connection.send(message().writeFirstSyncStepFor(document).toUint8Array());
    connection.send(Buffer.concat([message().toUint8Array(), content.toUint8Array()]));
  }
}
