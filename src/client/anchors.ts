export {
  type Anchor,
  type AnchorPiece,
  type AnchorRoot,
  anchorOf,
  createAnchor,
  isOrphaned,
  resolveAnchor,
  type TextRange,
} from '../platform/anchors/anchor.ts';
export {
  type ProseMirrorRange,
  proseMirrorPositions,
  proseMirrorRanges,
} from './anchors/prosemirror.ts';
