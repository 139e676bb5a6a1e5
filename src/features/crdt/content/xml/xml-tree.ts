import type { JsonObject, JsonValue } from '../json.ts';

/**
 * Rich text as a tree, whatever shape an editor's binding keeps it in. Types and not interfaces, so
 * that a tree is JSON too and two trees can be compared like any JSON (value-ids.ts).
 */
export type XmlNode = XmlElement | XmlText;

export type XmlElement = {
  name: string;
  /** How a Y.XmlText keeps it, where that does not follow from its name (embedded-kinds.ts). */
  as?: EmbeddedKind;
  attributes: JsonObject;
  children: XmlNode[];
};

/** All the text between two elements; never empty, and never beside another text. */
export type XmlText = { runs: XmlRun[] };

/** Text in one formatting, or one embedded value; the formats are marks such as bold. */
export type XmlRun =
  | { text: string; formats: JsonObject }
  | { embed: JsonValue; formats: JsonObject };

/** What stands for a node inside a Y.XmlText: a Y.XmlText, a Y.Map before text, a Y.XmlElement. */
export type EmbeddedKind = 'element' | 'text' | 'decorator' | 'xml';

export const isElement = (node: XmlNode): node is XmlElement => 'name' in node;

export const isTextRun = (run: XmlRun): run is { text: string; formats: JsonObject } =>
  'text' in run;

/** The positions that a run takes in a Y.XmlText. */
export const runLength = (run: XmlRun): number => (isTextRun(run) ? run.text.length : 1);

/** Adds a run, in one with the last where both are text in the same formats. */
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

/** What XML cannot say, not even as a reference. Each unit stands for itself, so offsets hold. */
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones
  /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The text as XML can say it, of the same length. */
export const speakable = (text: string): string => text.replace(FORBIDDEN, '\ufffd');
