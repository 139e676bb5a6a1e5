/**
 * An EventSource with headers, which browsers' own cannot send and Node.js lacks, so that URLs need
 * not contain credentials. It reconnects by itself after the last event id, and calls `headers` for
 * each connection, since a token may have been renewed.
 */

interface Options {
  headers: () => Record<string, string>;
}

const RETRY_MS = 200;

export class HeaderEventSource extends EventTarget {
  readonly CONNECTING = 0;
  readonly OPEN = 1;
  readonly CLOSED = 2;
  readyState = 0;
  readonly #url: string;
  readonly #headers: Options['headers'];
  readonly #closing = new AbortController();
  #lastEventId = '';
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(url: string, options: Options = { headers: () => ({}) }) {
    super();
    this.#url = url;
    this.#headers = options.headers;
    void this.#connect();
  }

  close(): void {
    this.readyState = this.CLOSED;
    clearTimeout(this.#retry);
    this.#closing.abort();
  }

  async #connect(): Promise<void> {
    try {
      const response = await fetch(this.#url, {
        headers: {
          ...this.#headers(),
          accept: 'text/event-stream',
          ...(this.#lastEventId && { 'last-event-id': this.#lastEventId }),
        },
        signal: this.#closing.signal,
      });
      // Repeating the request cannot succeed.
      if (isFinal(response)) return this.#fail(`The server answered ${response.status}.`);
      if (response.ok && response.body) await this.#read(response.body);
    } catch {
      // The connection failed or was lost.
    }
    this.#connectLater();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    this.readyState = this.OPEN;
    this.dispatchEvent(new Event('open'));
    const decoder = new TextDecoder();
    let text = '';
    for (const reader = body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done || this.readyState === this.CLOSED) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block);
    }
  }

  #take(block: string): void {
    const { id, event, data } = fieldsOf(block);
    if (id !== undefined) this.#lastEventId = id;
    if (data === undefined) return;
    const init = { data, lastEventId: this.#lastEventId };
    this.dispatchEvent(new MessageEvent(event ?? 'message', init));
  }

  #connectLater(): void {
    if (this.readyState === this.CLOSED) return;
    this.readyState = this.CONNECTING;
    this.dispatchEvent(new Event('error'));
    this.#retry = setTimeout(() => void this.#connect(), RETRY_MS);
  }

  #fail(message: string): void {
    this.close();
    this.dispatchEvent(Object.assign(new Event('error'), { message }));
  }
}

const isFinal = ({ status }: Response): boolean =>
  status === 204 || (status >= 400 && status < 500 && status !== 408 && status !== 429);

/**
 * Returns the fields of a message, from lines `name: value`. A line without a name is a comment.
 */
function fieldsOf(block: string): Record<string, string | undefined> {
  const fields: Record<string, string> = {};
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    const before = name === 'data' ? fields.data : undefined;
    fields[name] = before === undefined ? value : `${before}\n${value}`;
  }
  return fields;
}
