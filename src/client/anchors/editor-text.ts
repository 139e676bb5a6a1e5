import type { AnchorRoot, TextRange } from '../../platform/anchors/anchor.ts';

/** A live text, and where an editor shows it on the page. */
export interface EditorText {
  /** The shared type that the editor is bound to. */
  readonly root: AnchorRoot;
  /** The element that holds the text. */
  readonly element: HTMLElement;
  /** Returns the ranges that the user has selected. */
  selected(): TextRange[];
  /** Returns the places of ranges on the page; undefined for a range that is not shown. */
  render(ranges: TextRange[]): Array<Range | undefined>;
  /** Brings a range into view, for editors that render only the visible part of a text. */
  scrollTo?(range: TextRange): void;
}

interface DomPosition {
  node: Node;
  offset: number;
}

export function rangeBetween(start: DomPosition, end: DomPosition): Range {
  const range = document.createRange();
  range.setStart(start.node, start.offset);
  range.setEnd(end.node, end.offset);
  return range;
}
