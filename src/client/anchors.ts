export {
  type Anchor,
  type AnchorPiece,
  type AnchorRoot,
  anchorOf,
  createAnchor,
  isOrphaned,
  quoteOf,
  resolveAnchor,
  type TextRange,
} from '../platform/anchors/anchor.ts';
export { codeMirrorText } from './anchors/codemirror.ts';
export type { EditorText } from './anchors/editor-text.ts';
export { lexicalText } from './anchors/lexical.ts';
export { type MarkOptions, markText, type TextMarks } from './anchors/mark-text.ts';
export { passageOf, type SuggestedPassage } from './anchors/passage-of.ts';
export {
  type ProseMirrorRange,
  proseMirrorPositions,
  proseMirrorRanges,
  proseMirrorText,
} from './anchors/prosemirror.ts';
export { type SuggestedEdit, suggestionOf } from './core/suggestion.ts';
