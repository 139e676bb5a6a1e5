import { SaxesParser } from 'saxes';
import {
  countValues,
  MAX_CONTENT_DEPTH,
  MAX_CONTENT_NODES,
  requireWellFormed,
  tooDeep,
  tooLarge,
} from '../check-content.ts';
import { ContentMismatch } from '../content-type.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { readAttribute, xmlSafeJson } from './xml-attributes.ts';
import { decodeName } from './xml-names.ts';
import { xmlSafe } from './xml-tree.ts';

/** XML as it is written. interpret-xml.ts converts it to the editor's model. */
export type Markup = Tag | CharacterData;

export interface Tag {
  name: string;
  /** Whether the name is escaped, so that it denotes an element and not a mark of the same name. */
  isLiteral: boolean;
  attributes: JsonObject;
  children: Markup[];
}

export interface CharacterData {
  text: string;
  /** Whether the text is a CDATA section, whose white space is significant. */
  isData: boolean;
}

export const isTag = (markup: Markup): markup is Tag => 'name' in markup;

/** A name that is unsafe as a key of a JavaScript object. */
const UNSAFE_NAME = '__proto__';

/**
 * Parses well-formed XML with any number of roots, without a document type or custom entities. Depth
 * and size are checked during parsing, so that hostile XML is refused before it fills the memory.
 *
 * @throws {ContentMismatch} `data_type` with the position of the error, `too_deep` or `too_large`.
 */
export function parseXml(xml: string): Markup[] {
  // Half of a surrogate pair is refused here, since the parser would join it with the next character.
  requireWellFormed(xml);
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
      ...decodeName(name),
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
  // The parser refuses an XML declaration in a fragment. So the declaration and the space before it become an
  // instruction of the same length, which does not change the positions in errors.
  parser.write(xml.replace(/^(\s*)<\?xml(?=[\s?])/, '<?doc$1')).close();
  return roots;
}

function readAttributes(
  encoded: Record<string, string>,
  limits: Limits,
  fail: (problem: string) => ContentMismatch,
): JsonObject {
  const pairs = Object.entries(encoded).map(([encodedName, text]): [string, JsonValue] => {
    const name = xmlSafe(decodeName(encodedName).name);
    try {
      const value = readAttribute(name, text);
      limits.countValue(value);
      return [name, xmlSafeJson(value)];
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw fail(`the attribute ${encodedName} has no valid JSON in its braces.`);
    }
  });
  limits.countAttributes(pairs.length);
  return Object.fromEntries(pairs.filter(([name]) => name !== UNSAFE_NAME));
}

/** Counts the nodes and attributes of one XML text, each against a limit of its own. */
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
