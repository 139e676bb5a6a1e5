import type { ServerResponse } from 'node:http';
import type { Logger } from '../../platform/logging.ts';

interface UnreadResponse {
  bytes: number;
  disconnect: () => void;
}

/** The unread responses of one API key. */
interface KeyUsage {
  bytes: number;
  /** The oldest first. */
  responses: Set<UnreadResponse>;
}

/**
 * Limits the memory of long responses until their clients have read them. Above the limit, the oldest
 * response is cut off that belongs to the API key with the most unread bytes: its client reads slowest, and
 * other keys must not suffer for it.
 */
export class UnreadResponses {
  readonly #maxBytes: number;
  readonly #log: Logger;
  /** By API key; undefined for calls without one. */
  readonly #usageByKey = new Map<string | undefined, KeyUsage>();
  #bytes = 0;

  constructor(maxBytes: number, log: Logger) {
    this.#maxBytes = maxBytes;
    this.#log = log;
  }

  /**
   * Counts the characters of a response, or of a part of it, as unread until the response or its connection is closed.
   *
   * @returns a function that ends the count earlier, when the client has read the part
   */
  track(response: ServerResponse, apiKey: string | undefined, texts: string[]): () => void {
    const { socket } = response.req;
    if (socket.destroyed) return () => undefined;
    const bytes = texts.reduce((total, { length }) => total + length, 0);
    this.#makeRoomFor(bytes, apiKey);
    const usage = this.#usageByKey.get(apiKey) ?? { bytes: 0, responses: new Set() };
    const release = () => {
      response.off('close', release);
      socket.off('close', release);
      if (!usage.responses.delete(unread)) return;
      this.#bytes -= bytes;
      usage.bytes -= bytes;
      if (usage.responses.size === 0) this.#usageByKey.delete(apiKey);
    };
    const disconnect = () => {
      socket.destroy();
      release();
    };
    const unread: UnreadResponse = { bytes, disconnect };
    this.#usageByKey.set(apiKey, usage);
    usage.responses.add(unread);
    usage.bytes += bytes;
    this.#bytes += bytes;
    // A client may send many requests on a connection before it reads, so there may be many listeners. The
    // socket is needed since a response that waits for an earlier one gets no event when the connection is closed.
    socket.setMaxListeners(0).once('close', release);
    response.once('close', release);
    return release;
  }

  /** Cuts off older responses. A single response may be of any size. */
  #makeRoomFor(bytes: number, apiKey: string | undefined): void {
    while (this.#bytes + bytes > this.#maxBytes && this.#usageByKey.size > 0) {
      const total = ([key, usage]: [string | undefined, KeyUsage]) =>
        usage.bytes + (key === apiKey ? bytes : 0);
      const [key, { responses }] = [...this.#usageByKey].reduce((largest, entry) =>
        total(entry) > total(largest) ? entry : largest,
      );
      const [oldest] = responses;
      const message = 'A client was disconnected, because it did not read its response.';
      this.#log.warn({ apiKey: key }, message);
      oldest?.disconnect();
    }
  }
}
