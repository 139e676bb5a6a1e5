import * as Y from 'yjs';
import type { TextPosition } from '../../../../platform/anchors/anchor.ts';
import {
  type AnchorRoot,
  offsetAt,
  readText,
  type TextContent,
  textsIn,
} from '../../../../platform/anchors/texts.ts';

/** The whole text of an editor: each block begins a line. Blocks without text are left out. */
export interface JoinedText {
  content: string;
  parts: JoinedPart[];
}

export interface JoinedPart extends TextContent {
  text: Y.Text;
  /** The start of the part in the whole text. */
  offset: number;
  /** Whether the part begins a line of its own. No text contains the line break before it. */
  startsLine: boolean;
}

export function joinTexts(root: AnchorRoot): JoinedText {
  const parts: JoinedPart[] = [];
  let content = '';
  let startsLine = true;
  let previous: Y.Text | undefined;
  for (const text of textsIn(root)) {
    startsLine ||= !continues(text, previous);
    previous = text;
    const read = readText(text);
    if (read.content === '') continue;
    if (startsLine && content !== '') content += '\n';
    parts.push({ text, ...read, offset: content.length, startsLine });
    content += read.content;
    startsLine = false;
  }
  return { content, parts };
}

/** Whether two texts look like one, as when two users began to write in the same empty block. */
const continues = (text: Y.Text, previous: Y.Text | undefined): boolean =>
  text instanceof Y.XmlText &&
  text.parent instanceof Y.XmlFragment &&
  text.prevSibling === previous;

/** Converts a position in one of the texts to its offset in the whole text. */
export function offsetIn({ parts }: JoinedText, { text, index }: TextPosition): number | undefined {
  const part = parts.find((each) => each.text === text);
  return part && part.offset + offsetAt(part, index);
}
