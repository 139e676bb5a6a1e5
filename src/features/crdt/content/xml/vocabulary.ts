import { isJsonObject, type JsonValue } from '../json.ts';
import { isElement, type XmlNode } from './xml-tree.ts';

const USUAL_MARKS = [
  ...['strong', 'b', 'bold', 'em', 'i', 'italic', 'u', 'underline', 's', 'strike', 'code'],
  ...['link', 'a', 'textStyle', 'highlight', 'subscript', 'superscript', 'comment', 'span'],
];

/** Editors put a digest behind the name of a mark that may lie on a text more than once. */
const REPEATABLE = /^.+--[A-Za-z0-9+/=]{8}$/;

/** What is said of the names in some XML: by the caller, and by the content that is stored. */
export interface Vocabulary {
  /** Whether an element of this name is a format where text may stand. */
  isMark(name: string): boolean;
  /** Whether a mark without attributes stands for `true`, and not for `{}`. */
  isFlag(name: string): boolean;
  /** Whether text may stand beside the roots. */
  hasRootText: boolean;
}

/**
 * The names as the stored content uses them: what it has as a format is a mark, and what it has as
 * an element only is none, although it is named like one. So what is read from it can be put back.
 */
export function vocabularyOf(
  roots: readonly XmlNode[],
  { marks = [], usual = true }: { marks?: readonly string[] | undefined; usual?: boolean } = {},
): Vocabulary {
  const elements = new Set<string>();
  const formats = new Map<string, FormatUse>();
  collect(roots, elements, formats);
  const values = [...formats.values()];
  const flags = values.includes('flag') && !values.includes('empty');
  const usualMarks = new Set(usual ? USUAL_MARKS.filter((name) => !elements.has(name)) : []);
  const asked = new Set(marks);
  return {
    isMark: (name) =>
      formats.has(name) || asked.has(name) || usualMarks.has(name) || REPEATABLE.test(name),
    isFlag: (name) => (formats.has(name) ? formats.get(name) === 'flag' : flags),
    hasRootText: roots.some((node) => !isElement(node)),
  };
}

function collect(
  nodes: readonly XmlNode[],
  elements: Set<string>,
  formats: Map<string, FormatUse>,
): void {
  for (const node of nodes) {
    if (isElement(node)) {
      elements.add(node.name);
      collect(node.children, elements, formats);
      continue;
    }
    for (const run of node.runs) {
      for (const [name, value] of Object.entries(run.formats)) {
        formats.set(name, joined(formats.get(name), useOf(value)));
      }
    }
  }
}

/** Whether a mark is told without attributes: as `true` always, as `{}` somewhere, or never. */
type FormatUse = 'flag' | 'empty' | 'fields';

function useOf(value: JsonValue): FormatUse {
  if (value === true) return 'flag';
  return isJsonObject(value) && Object.keys(value).length === 0 ? 'empty' : 'fields';
}

const joined = (before: FormatUse | undefined, use: FormatUse): FormatUse =>
  before === 'empty' || use === 'empty'
    ? 'empty'
    : before === 'flag' || use === 'flag'
      ? 'flag'
      : use;
