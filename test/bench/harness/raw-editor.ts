import { once } from 'node:events';
import { WebSocket } from 'ws';
import * as Y from 'yjs';

/** Message types of the Hocuspocus protocol, and what follows them. */
const SYNC = 0;
const AUTH = 2;
const SYNC_STATUS = 8;
const STEP_1 = 0;
const UPDATE = 2;
const TOKEN = 0;

/**
 * An editor that sends what a provider sends and does not decode incoming updates. A thousand real
 * editors would measure themselves.
 */
export class RawEditor {
  readonly #socket: WebSocket;
  readonly #address: Uint8Array;
  readonly #doc = new Y.Doc();
  /** The number of received messages. */
  received = 0;
  #sent = 0;
  #confirmed = 0;

  /** Resolves once the server has sent the content. */
  static async open(url: string, name: string, token: string): Promise<RawEditor> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/collaboration`, {
      perMessageDeflate: false,
    });
    await once(socket, 'open');
    const editor = new RawEditor(socket, name);
    editor.#send(AUTH, [TOKEN], text(token));
    editor.#send(SYNC, [STEP_1], bytes(Y.encodeStateVector(new Y.Doc())));
    while (editor.received < 3) await once(socket, 'message');
    return editor;
  }

  private constructor(socket: WebSocket, name: string) {
    this.#socket = socket;
    this.#address = text(name);
    socket.on('message', (message: Buffer) => {
      this.received++;
      if (message[this.#address.length] === SYNC_STATUS) this.#confirmed++;
    });
    this.#doc.on('update', (update: Uint8Array) => {
      this.#sent++;
      this.#send(SYNC, [UPDATE], bytes(update));
    });
  }

  /** Continues at the last position of this editor. */
  type(letters: string): void {
    const content = this.#doc.getText('content');
    content.insert(content.length, letters);
  }

  /** Resolves once the server has confirmed all edits. */
  async confirmed(deadlineMs: number): Promise<void> {
    const signal = AbortSignal.timeout(deadlineMs);
    while (this.#confirmed < this.#sent) await once(this.#socket, 'message', { signal });
  }

  /** Resolves with the length of the next edit by another editor when it arrives. */
  async nextEdit(deadlineMs: number): Promise<number> {
    const signal = AbortSignal.timeout(deadlineMs);
    for (;;) {
      const [message]: Buffer[] = await once(this.#socket, 'message', { signal });
      if (message?.[this.#address.length] === SYNC) return message.length;
    }
  }

  close(): void {
    this.#socket.close();
  }

  #send(type: number, head: number[], body: Uint8Array): void {
    this.#socket.send(Buffer.concat([this.#address, Buffer.from([type, ...head]), body]));
  }
}

/** A number in seven bits a byte, least significant first, as the protocol encodes lengths. */
function lengthOf({ length }: Uint8Array): number[] {
  const digits: number[] = [];
  let rest = length;
  for (; rest > 127; rest = Math.floor(rest / 128)) digits.push(128 + (rest % 128));
  return [...digits, rest];
}

const bytes = (content: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from(lengthOf(content)), content]);

const text = (content: string): Uint8Array => bytes(Buffer.from(content));
