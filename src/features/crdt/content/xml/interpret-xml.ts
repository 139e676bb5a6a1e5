import type { JsonObject, JsonValue } from '../json.ts';
import { type CharacterData, isTag, type Markup, type Tag } from './parse-xml.ts';
import type { Vocabulary } from './vocabulary.ts';
import { addRun, isElement, type XmlElement, type XmlNode, type XmlRun } from './xml-tree.ts';

/** The name of the element for an embedded value inside a text. */
export const EMBED = '_embed';
/** The attribute of this element that contains the value. */
export const EMBED_VALUE = 'value';
/** The attribute that contains the value of a mark, if that value is not an object. */
export const MARK_VALUE = '_';

/**
 * Converts markup to rich text. An element whose name is a mark in the vocabulary becomes a format
 * of the text inside it, where text is allowed; all others are elements.
 */
export function interpretXml(roots: readonly Markup[], vocabulary: Vocabulary): XmlNode[] {
  const collector = new NodeCollector(vocabulary);
  collector.addAll(roots, {}, vocabulary.hasRootText || allowsText(roots, vocabulary));
  return collector.nodes;
}

/** Text is allowed between the roots if the input has some there, or if all roots are marks. */
function allowsText(roots: readonly Markup[], vocabulary: Vocabulary): boolean {
  return (
    roots.some((markup) => !isTag(markup) && markup.text.trim() !== '') ||
    roots.every((markup) => !isTag(markup) || isMark(markup, vocabulary))
  );
}

/** `__proto__` is never a mark: Yjs copies formats by assigning their keys, and this key would set a prototype. */
const isMark = (tag: Tag, vocabulary: Vocabulary): boolean =>
  !tag.isLiteral && tag.name !== '__proto__' && vocabulary.isMark(tag.name) && hasText(tag);

/** Whether there is text or an embedded value that a mark could format. */
const hasText = (tag: Tag): boolean =>
  tag.children.some((child) =>
    isTag(child) ? isEmbed(child) || hasText(child) : child.text !== '',
  );

const isEmbed = (tag: Tag): boolean => tag.name === EMBED && !tag.isLiteral;

/** Collects the children of one element, and joins adjacent texts in one node. */
class NodeCollector {
  readonly nodes: XmlNode[] = [];
  readonly #vocabulary: Vocabulary;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  addAll(markups: readonly Markup[], formats: JsonObject, allowsMarks: boolean): void {
    for (const [at, markup] of markups.entries()) {
      if (!isTag(markup)) {
        if (!this.#isLayout(markups, at, markup)) this.#addRun({ text: markup.text, formats });
      } else if (isEmbed(markup)) {
        this.#addRun({ embed: markup.attributes[EMBED_VALUE] ?? null, formats });
      } else if (allowsMarks && isMark(markup, this.#vocabulary)) {
        this.addAll(markup.children, { ...formats, [markup.name]: this.#formatOf(markup) }, true);
      } else {
        this.nodes.push(this.#toElement(markup, formats));
      }
    }
  }

  #toElement({ name, attributes, children }: Tag, formats: JsonObject): XmlElement {
    const inside = new NodeCollector(this.#vocabulary);
    inside.addAll(children, formats, true);
    return { name, attributes, children: inside.nodes };
  }

  #addRun(run: XmlRun): void {
    if ('text' in run && run.text === '') return;
    const last = this.nodes.at(-1);
    if (!last || isElement(last)) this.nodes.push({ runs: [run] });
    else addRun(last.runs, run);
  }

  #formatOf({ name, attributes }: Tag): JsonValue {
    const keys = Object.keys(attributes);
    if (keys.length === 0) return this.#vocabulary.isFlag(name) ? true : {};
    return keys.length === 1 ? (attributes[MARK_VALUE] ?? attributes) : attributes;
  }

  /**
   * Whether white space only formats the XML source: with a line break next to a block, or at the start
   * or end of an element with other content. Between inline content such white space separates words, and
   * alone in an element it is content.
   */
  #isLayout(markups: readonly Markup[], at: number, { text, isData }: CharacterData): boolean {
    if (isData || text.trim() !== '' || !text.includes('\n') || markups.length === 1) return false;
    const isInline = (markup: Markup | undefined) =>
      markup !== undefined &&
      (!isTag(markup) || isMark(markup, this.#vocabulary) || isEmbed(markup));
    return !isInline(markups[at - 1]) || !isInline(markups[at + 1]);
  }
}
