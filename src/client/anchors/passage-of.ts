import type { RelativePosition, SuggestionInput } from '../../api/contract.ts';
import { type Anchor, quoteOf } from '../../platform/anchors/anchor.ts';

/** A passage as `suggestions.add` takes it. */
export type SuggestedPassage = Required<Pick<SuggestionInput, 'quote' | 'position'>>;

/**
 * Returns the passage that an anchor refers to, so that an edit of the passage can be suggested.
 *
 * @throws TypeError if the anchor has no pieces
 */
export function passageOf(anchor: Anchor): SuggestedPassage {
  const [first, last] = [anchor.pieces[0], anchor.pieces.at(-1)];
  if (!first || !last) throw new TypeError('The anchor does not refer to any text.');
  // A piece has at least one character, so its positions have the `item` that the contract requires.
  const [start, end] = [first.start, last.end] as unknown as [RelativePosition, RelativePosition];
  return { quote: quoteOf(anchor), position: { start, end } };
}
