import { SaxesParser } from 'saxes';
import {
  countValues,
  MAX_CONTENT_DEPTH,
  MAX_CONTENT_NODES,
  tooDeep,
  tooLarge,
} from '../check-content.ts';
import { ContentMismatch } from '../content-mismatch.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { readAttribute, speakableJson } from './xml-attributes.ts';
import { readName } from './xml-names.ts';

/** XML as it is written; what it means to an editor is read from it later (interpret-xml.ts). */
export type Markup = Tag | Words;

export interface Tag {
  name: string;
  /** Spelled in the way that says: an element, although its name is that of a mark. */
  isLiteral: boolean;
  attributes: JsonObject;
  children: Markup[];
}

export interface Words {
  text: string;
  /** From a CDATA section, which says that white space is meant. */
  isData: boolean;
}

export const isTag = (markup: Markup): markup is Tag => 'name' in markup;

/** An inert name: it would be lost, or do harm, as a key of a JavaScript object. */
const INERT = '__proto__';

/**
 * Parses well-formed XML with any number of roots; no document type, no entities but XML's own.
 * Bounded in depth and size while it reads, so hostile XML is refused before it is in memory.
 *
 * @throws {ContentMismatch} `data_type` that says where, `too_deep` or `too_large`.
 */
export function parseXml(xml: string): Markup[] {
  const roots: Markup[] = [];
  const open: Tag[] = [];
  const limits = new Limits();
  const parser = new SaxesParser({ fragment: true, xmlns: false });
  const fail = (problem: string) => malformed(parser, problem);
  const add = (markup: Markup) => {
    limits.count(1);
    (open.at(-1)?.children ?? roots).push(markup);
  };
  parser.on('error', (error) => {
    throw fail(error.message.replace(/^\d+:\d+: /, ''));
  });
  parser.on('doctype', () => {
    throw fail('a document type is not allowed.');
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (open.length >= MAX_CONTENT_DEPTH) throw tooDeep();
    const tag = {
      ...readName(name),
      attributes: readAttributes(attributes, limits, fail),
      children: [],
    };
    add(tag);
    open.push(tag);
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.on('text', (text) => add({ text, isData: false }));
  parser.on('cdata', (text) => add({ text, isData: true }));
  parser.write(xml.replace(/^\s*<\?xml[\s?][^>]*>/, '')).close();
  return roots;
}

function readAttributes(
  spelled: Record<string, string>,
  limits: Limits,
  fail: (problem: string) => ContentMismatch,
): JsonObject {
  const pairs = Object.entries(spelled).map(([spelledName, text]): [string, JsonValue] => {
    const { name } = readName(spelledName);
    try {
      const value = readAttribute(name, text);
      limits.countValue(value);
      return [name, speakableJson(value)];
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw fail(`the attribute ${spelledName} is in braces, but not JSON.`);
    }
  });
  limits.countAttributes(pairs.length);
  return Object.fromEntries(pairs.filter(([name]) => name !== INERT));
}

/** What a text may hold in all. Attributes are counted apart from nodes. */
class Limits {
  #nodes = 0;
  #attributes = 0;

  count(nodes: number): void {
    this.#nodes += nodes;
    if (this.#nodes > MAX_CONTENT_NODES) throw tooLarge();
  }

  countAttributes(count: number): void {
    this.#attributes += count;
    if (this.#attributes > MAX_CONTENT_NODES) throw tooLarge();
  }

  countValue(value: JsonValue): void {
    if (typeof value !== 'object' || value === null) return;
    this.count(countValues(value));
  }
}

function malformed(parser: { line: number; column: number }, problem: string): ContentMismatch {
  const where = `line ${parser.line}, column ${parser.column + 1}`;
  return new ContentMismatch(
    'data_type',
    `Content of type xml must be well-formed; ${where}: ${problem}`,
  );
}
