import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { defaultKind, KIND } from './embedded-kinds.ts';
import { EMBED, EMBED_VALUE, MARK_VALUE } from './interpret-xml.ts';
import type { Vocabulary } from './vocabulary.ts';
import { writeAttribute } from './xml-attributes.ts';
import { encodeLiterally, encodeName } from './xml-names.ts';
import { isElement, isTextRun, type XmlElement, type XmlNode, type XmlRun } from './xml-tree.ts';

/**
 * Writes rich text as XML. `interpretXml` returns the same rich text, given the same vocabulary.
 */
export function writeXml(nodes: readonly XmlNode[], vocabulary: Vocabulary): string {
  const parts: string[] = [];
  writeNodes(nodes, vocabulary, parts);
  return parts.join('');
}

function writeNodes(nodes: readonly XmlNode[], vocabulary: Vocabulary, parts: string[]): void {
  for (const node of nodes) {
    if (isElement(node)) writeElement(node, vocabulary, parts);
    else writeRuns(node.runs, vocabulary, parts);
  }
}

function writeElement(element: XmlElement, vocabulary: Vocabulary, parts: string[]): void {
  const { name, kind, attributes, children } = element;
  const encoded = encodeElementName(name, vocabulary);
  parts.push('<', encoded, attributesOf(attributes));
  if (kind !== undefined && kind !== defaultKind(name)) parts.push(attributesOf({ [KIND]: kind }));
  if (children.length === 0) {
    parts.push('/>');
    return;
  }
  parts.push('>');
  writeNodes(children, vocabulary, parts);
  parts.push('</', encoded, '>');
}

const encodeElementName = (name: string, vocabulary: Vocabulary): string =>
  vocabulary.isMark(name) || name === EMBED ? encodeLiterally(name) : encodeName(name);

/** Writes runs. Adjacent runs share the tags of their common marks. */
function writeRuns(runs: readonly XmlRun[], vocabulary: Vocabulary, parts: string[]): void {
  const openMarks: { name: string; tag: string }[] = [];
  const closeTo = (count: number) => {
    while (openMarks.length > count) parts.push('</', encodeName(openMarks.pop()?.name ?? ''), '>');
  };
  for (const run of runs) {
    const marks = marksOf(run, vocabulary);
    const firstEnded = openMarks.findIndex(({ tag }) => !marks.has(tag));
    if (firstEnded !== -1) closeTo(firstEnded);
    for (const { tag } of openMarks) marks.delete(tag);
    for (const [tag, name] of marks) {
      parts.push(tag);
      openMarks.push({ name, tag });
    }
    parts.push(isTextRun(run) ? textOf(run.text) : embedOf(run.embed));
  }
  closeTo(0);
}

/** Maps the opening tags of a run's marks to their names. */
const marksOf = ({ formats }: XmlRun, vocabulary: Vocabulary): Map<string, string> =>
  new Map(
    Object.entries(formats)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [markTag(name, value, vocabulary), name]),
  );

/**
 * Returns the opening tag of a mark. The value that a bare tag stands for is not written. The fields of
 * an object become attributes. Any other value becomes the attribute `_`, and so does an object that has
 * a field `_`, since `interpretXml` would take that field for the value.
 */
function markTag(name: string, value: JsonValue, vocabulary: Vocabulary): string {
  const isBare = vocabulary.isFlag(name) ? value === true : isEmptyObject(value);
  if (isBare) return `<${encodeName(name)}>`;
  const asFields =
    isJsonObject(value) && !isEmptyObject(value) && !Object.hasOwn(value, MARK_VALUE);
  return `<${encodeName(name)}${attributesOf(asFields ? value : { [MARK_VALUE]: value })}>`;
}

const isEmptyObject = (value: JsonValue): boolean =>
  isJsonObject(value) && Object.keys(value).length === 0;

const embedOf = (value: JsonValue): string =>
  `<${EMBED}${attributesOf({ [EMBED_VALUE]: value })}/>`;

/**
 * Writes attributes, sorted by name: the order in which they were set differs between processes.
 */
function attributesOf(attributes: JsonObject): string {
  return Object.entries(attributes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => {
      const text = writeAttribute(name, value).replace(/[&<>"\t\n\r]/g, referenceTo);
      return ` ${encodeName(name)}="${text}"`;
    })
    .join('');
}

/**
 * White space with a line break would be insignificant in XML, so it is written as CDATA. A
 * carriage return is always a reference, since XML parsers turn a bare one into a line feed.
 */
function textOf(text: string): string {
  const isLayout = text.includes('\n') && text.trim() === '';
  return isLayout
    ? text.replace(/[^\r]+/g, '<![CDATA[$&]]>').replace(/\r/g, referenceTo)
    : text.replace(/[&<>\r]/g, referenceTo);
}

const referenceTo = (unit: string): string => ENTITIES[unit] ?? `&#${unit.charCodeAt(0)};`;

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};
