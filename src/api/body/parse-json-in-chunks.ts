import { Pace } from '../../platform/event-loop.ts';
import { endOfString } from './body-shape.ts';

/** How many bytes are parsed at once. This takes a millisecond or two for any content. */
const CHUNK = 32 * 1024;

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN = [0x5b, 0x7b];
const CLOSE = [0x5d, 0x7d];

type Span = [start: number, end: number];
type Members = Record<string, unknown>;

/**
 * Parses long JSON and yields to other work in between: elements of a list or an object are parsed
 * together as long as they are short.
 *
 * @param body valid UTF-8
 * @param parse parses a chunk, and throws if it is not JSON
 * @throws SyntaxError, and what `parse` throws
 */
export async function parseJsonInChunks(
  body: Buffer,
  parse: (text: string) => unknown,
): Promise<unknown> {
  return new ChunkParser(body, parse).value(trimmed(body, [0, body.length]));
}

class ChunkParser {
  readonly #body: Buffer;
  readonly #parse: (text: string) => unknown;
  readonly #pace = new Pace();

  constructor(body: Buffer, parse: (text: string) => unknown) {
    this.#body = body;
    this.#parse = parse;
  }

  async value([start, end]: Span): Promise<unknown> {
    const kind = OPEN.indexOf(this.#body[start] ?? 0);
    await this.#pace.next();
    if (end - start <= CHUNK || kind < 0) return this.#parse(this.#text([start, end]));
    if (this.#body[end - 1] !== CLOSE[kind]) throw malformed();
    const made: unknown[] | Members = kind === 0 ? [] : {};
    for (const group of groups(await this.#parts([start + 1, end - 1]))) {
      await this.#pace.next();
      await this.#add(made, group);
    }
    return made;
  }

  async #add(made: unknown[] | Members, group: Span[]): Promise<void> {
    const span: Span = [group[0]?.[0] ?? 0, group.at(-1)?.[1] ?? 0];
    const isLong = span[1] - span[0] > CHUNK;
    if (Array.isArray(made)) {
      if (isLong) return void made.push(await this.value(span));
      const items = this.#parse(`[${this.#text(span)}]`) as unknown[];
      if (items.length !== group.length) throw malformed();
      made.push(...items);
    } else if (isLong) {
      const [key, value] = this.#member(span);
      // `parse` refuses dangerous keys only within a chunk, so this checks what it could not see.
      const [name = ''] = Object.keys(this.#parse(`{${this.#text(key)}:0}`) as Members);
      const content = await this.value(value);
      const isPrototype = name === 'constructor' && Object.hasOwn(Object(content), 'prototype');
      if (isPrototype) throw malformed();
      made[name] = content;
    } else {
      Object.assign(made, this.#parse(`{${this.#text(span)}}`));
    }
  }

  #member([start, end]: Span): [key: Span, value: Span] {
    const afterKey = endOfString(this.#body, start) + 1;
    const [colon] = trimmed(this.#body, [afterKey, end]);
    if (this.#body[start] !== QUOTE || this.#body[colon] !== COLON) throw malformed();
    return [[start, afterKey], trimmed(this.#body, [colon + 1, end])];
  }

  /** Returns what is between the commas, without surrounding whitespace. */
  async #parts([start, end]: Span): Promise<Span[]> {
    const parts: Span[] = [];
    let depth = 0;
    let from = start;
    let looked = start;
    for (let at = start; at < end; at++) {
      const byte = this.#body[at] ?? 0;
      if (byte === QUOTE) at = endOfString(this.#body, at);
      else if (OPEN.includes(byte)) depth += 1;
      else if (CLOSE.includes(byte)) depth -= 1;
      else if (byte === COMMA && depth === 0) {
        parts.push(trimmed(this.#body, [from, at]));
        from = at + 1;
      }
      if (at - looked > 8 * CHUNK) {
        looked = at;
        await this.#pace.next();
      }
    }
    const last = trimmed(this.#body, [from, end]);
    if (last[0] < last[1] || parts.length > 0) parts.push(last);
    if (parts.some((part) => part[0] === part[1])) throw malformed();
    return parts;
  }

  #text([start, end]: Span): string {
    return this.#body.toString('utf8', start, end);
  }
}

/** Groups neighbouring parts into chunks. A part that is long by itself is a group of its own. */
function groups(parts: Span[]): Span[][] {
  const made: Span[][] = [];
  let group: Span[] = [];
  for (const part of parts) {
    const start = group[0]?.[0] ?? part[0];
    if (group.length > 0 && part[1] - start > CHUNK) {
      made.push(group);
      group = [];
    }
    group.push(part);
  }
  return group.length > 0 ? [...made, group] : made;
}

function trimmed(body: Buffer, [start, end]: Span): Span {
  const isBlank = (byte = 0) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
  let [first, last] = [start, end];
  while (first < last && isBlank(body[first])) first++;
  while (last > first && isBlank(body[last - 1])) last--;
  return [first, last];
}

const malformed = () => new SyntaxError('The text is no JSON.');
