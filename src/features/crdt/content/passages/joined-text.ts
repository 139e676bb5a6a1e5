import * as Y from 'yjs';
import type { TextPosition } from '../../../../platform/anchors/anchor.ts';
import {
  type AnchorRoot,
  childrenOf,
  offsetAt,
  type Run,
  type TextContent,
} from '../../../../platform/anchors/texts.ts';

/** The whole text of an editor: each block begins a line. Blocks without text are left out. */
export interface JoinedText {
  content: string;
  parts: JoinedPart[];
}

/** A text, or the part of it before, between or after texts that it contains, such as links in Lexical. */
export interface JoinedPart extends TextContent {
  text: Y.Text;
  /** The start of the part in the whole text. */
  offset: number;
  /** Whether the part is in the line of the part before it. Line breaks are in no part. */
  continuesLine: boolean;
}

/** A type whose texts are to be joined. */
interface Pending {
  type: unknown;
  /** The first type of its line, which identifies the line. */
  line: unknown;
}

interface Segment extends TextContent {
  text: Y.Text;
  line: unknown;
}

/** Joins all texts below a type. The walk is iterative, since editors may nest deeply. */
export function joinTexts(root: AnchorRoot): JoinedText {
  const parts: JoinedPart[] = [];
  let content = '';
  let lastLine: unknown;
  const pending: Array<Pending | Segment> = [{ type: root, line: root }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if ('content' in next) {
      const { line, ...segment } = next;
      const continuesLine = line === lastLine;
      if (!continuesLine && content !== '') content += '\n';
      parts.push({ ...segment, offset: content.length, continuesLine });
      content += segment.content;
      lastLine = line;
    } else {
      const { type, line } = next;
      const inside =
        type instanceof Y.Text ? segmentsOf(type, line) : assignLines(childrenOf(type));
      // A large document has more parts than one call of `push` may have arguments.
      for (const each of inside.reverse()) pending.push(each);
    }
  }
  return { content, parts };
}

/**
 * Begins a line with each type. Adjacent texts share a line, because editors show them as one: two users who
 * begin to write in the same empty block create such texts.
 */
function assignLines(types: unknown[]): Pending[] {
  let line: unknown;
  return types.map((type) => {
    if (!isAfterText(type)) line = type;
    return { type, line };
  });
}

const isAfterText = (type: unknown): boolean =>
  type instanceof Y.XmlText &&
  type.parent instanceof Y.XmlFragment &&
  type.prevSibling instanceof Y.XmlText;

/**
 * Divides a text at the texts inside it. If the outer text has characters of its own, the inner texts are
 * in its line. Otherwise, each begins a line.
 */
function segmentsOf(text: Y.Text, line: unknown): Array<Pending | Segment> {
  const delta = text.toDelta() as Array<{ insert: unknown }>;
  const hasCharacters = delta.some(({ insert }) => typeof insert === 'string');
  const segments: Array<Pending | Segment> = [];
  let segment: (Segment & { runs: Run[] }) | undefined;
  let index = 0;
  for (const { insert } of delta) {
    if (typeof insert === 'string') {
      if (!segment) {
        segment = { text, line, content: '', runs: [] };
        segments.push(segment);
      }
      segment.runs.push({ offset: segment.content.length, index, length: insert.length });
      segment.content += insert;
    } else {
      segments.push({ type: insert, line: hasCharacters ? line : insert });
      if (insert instanceof Y.Text) segment = undefined;
    }
    index += typeof insert === 'string' ? insert.length : 1;
  }
  return segments;
}

/** Converts a position in one of the texts to its offset in the whole text. */
export function offsetIn({ parts }: JoinedText, { text, index }: TextPosition): number | undefined {
  const ofText = parts.filter((each) => each.text === text);
  const endsAfter = ({ runs }: JoinedPart) => {
    const last = runs.at(-1);
    return last !== undefined && last.index + last.length > index;
  };
  const part = ofText.find(endsAfter) ?? ofText.at(-1);
  return part && part.offset + offsetAt(part, index);
}
