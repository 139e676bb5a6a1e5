import { isJsonObject, type JsonValue } from '../json.ts';
import { isElement, type XmlNode } from './xml-tree.ts';

// biome-ignore format: one name a line would take twenty lines
const USUAL_MARKS = [
  'strong', 'b', 'bold', 'em', 'i', 'italic', 'u', 'underline', 's', 'strike', 'code',
  'link', 'a', 'textStyle', 'highlight', 'subscript', 'superscript', 'comment', 'span',
];

/** Matches the name of a mark that a text may have more than once: editors append a digest to it. */
const REPEATABLE_MARK = /^.+--[A-Za-z0-9+/=]{8}$/;

/** The meaning of names in a caller's XML, according to the caller and to the stored content. */
export interface Vocabulary {
  /** Whether an element of this name is a mark, which formats the text in it, wherever text is allowed. */
  isMark(name: string): boolean;
  /** Whether a mark without attributes has the value `true`, and not `{}`. */
  isFlag(name: string): boolean;
  /** Whether the stored content has text between its roots, so that the XML may, too. */
  hasRootText: boolean;
}

/**
 * Returns what names mean in stored content: a name used as a format is a mark, and a name used only for
 * elements is not, even if it usually is one. So content that was read can be written back.
 *
 * @param marks additional names of marks
 * @param usesUsualMarks whether a name in `USUAL_MARKS` that the content does not use is a mark
 */
export function vocabularyOf(
  roots: readonly XmlNode[],
  {
    marks = [],
    usesUsualMarks,
  }: { marks?: readonly string[] | undefined; usesUsualMarks: boolean },
): Vocabulary {
  const elements = new Set<string>();
  const formats = new Map<string, FormatUse>();
  collectUses(roots, elements, formats);
  const values = [...formats.values()];
  const usesFlags = values.includes('flag') && !values.includes('empty');
  const usualMarks = new Set(
    usesUsualMarks ? USUAL_MARKS.filter((name) => !elements.has(name)) : [],
  );
  const additional = new Set(marks);
  return {
    isMark: (name) =>
      formats.has(name) ||
      additional.has(name) ||
      usualMarks.has(name) ||
      REPEATABLE_MARK.test(name),
    isFlag: (name) => (formats.has(name) ? formats.get(name) === 'flag' : usesFlags),
    hasRootText: roots.some((node) => !isElement(node)),
  };
}

function collectUses(
  nodes: readonly XmlNode[],
  elements: Set<string>,
  formats: Map<string, FormatUse>,
): void {
  for (const node of nodes) {
    if (isElement(node)) {
      elements.add(node.name);
      collectUses(node.children, elements, formats);
      continue;
    }
    for (const run of node.runs) {
      for (const [name, value] of Object.entries(run.formats)) {
        formats.set(name, joinUses(formats.get(name), useOf(value)));
      }
    }
  }
}

/** How a mark is used. `empty`: some values are `{}`. `flag`: none is `{}`, but some are `true`. `fields`: neither. */
type FormatUse = 'flag' | 'empty' | 'fields';

function useOf(value: JsonValue): FormatUse {
  if (value === true) return 'flag';
  return isJsonObject(value) && Object.keys(value).length === 0 ? 'empty' : 'fields';
}

function joinUses(before: FormatUse | undefined, use: FormatUse): FormatUse {
  if (before === 'empty' || use === 'empty') return 'empty';
  return before === 'flag' ? 'flag' : use;
}
