import type { JsonObject, JsonValue } from '../json.ts';

/**
 * Rich text as a tree, independent of the editor that stores it. The nodes are types and not
 * interfaces, so that a tree is also a `JsonValue` and can be compared as such (value-ids.ts).
 */
export type XmlNode = XmlElement | XmlText;

export type XmlElement = {
  name: string;
  /** How a Y.XmlText embeds the element; undefined in a Y.XmlFragment. */
  kind?: EmbeddedKind;
  attributes: JsonObject;
  children: XmlNode[];
};

/** All text between two elements. It is never empty, and two texts are never adjacent. */
export type XmlText = { runs: XmlRun[] };

/** Text with the same formats throughout, or one embedded value. Formats are marks such as bold. */
export type XmlRun =
  | { text: string; formats: JsonObject }
  | { embed: JsonValue; formats: JsonObject };

/**
 * The shared type of a node inside a Y.XmlText. `element`: a Y.XmlText, `text`: a Y.Map before the text,
 * `decorator`: a Y.XmlElement of Lexical, `xml`: any other Y.XmlElement.
 */
export type EmbeddedKind = 'element' | 'text' | 'decorator' | 'xml';

export const isElement = (node: XmlNode): node is XmlElement => 'name' in node;

export const isTextRun = (run: XmlRun): run is { text: string; formats: JsonObject } =>
  'text' in run;

/** The number of positions that a run occupies in a Y.XmlText. */
export const runLength = (run: XmlRun): number => (isTextRun(run) ? run.text.length : 1);

/** Appends a run, joined with the last one if both are text with the same formats. */
export function addRun(runs: XmlRun[], run: XmlRun): void {
  const last = runs.at(-1);
  const joins = last && isTextRun(last) && isTextRun(run) && sameFormats(last, run);
  if (joins) last.text += run.text;
  else runs.push({ ...run });
}

const sameFormats = (one: XmlRun, other: XmlRun): boolean =>
  JSON.stringify(sorted(one.formats)) === JSON.stringify(sorted(other.formats));

const sorted = (formats: JsonObject) =>
  Object.entries(formats).sort(([a], [b]) => (a < b ? -1 : 1));

/** Matches characters that XML does not allow, even as references. */
const FORBIDDEN_CHARACTERS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML does not allow control characters
  /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Replaces the characters that XML does not allow, and keeps the length. */
export const xmlSafe = (text: string): string => text.replace(FORBIDDEN_CHARACTERS, '\ufffd');
