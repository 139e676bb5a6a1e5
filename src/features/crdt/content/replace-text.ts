import type * as Y from 'yjs';
import { diffText, type TextEdit } from './diff/diff-text.ts';
import { newBudget } from './diff/work-budget.ts';
import { copySlice, editPlain, plainContent } from './plain-text.ts';

/** An element of `toDelta()`: text in one formatting, or an embed, which occupies one position. */
export interface DeltaRun {
  insert: unknown;
  attributes?: Attributes;
}

type Attributes = Record<string, unknown>;
type DeltaStep =
  | { retain: number }
  | { delete: number }
  | { insert: string; attributes: Attributes };

/**
 * Changes the text to `target` by the edits of `diffText`, so that cursors and concurrent edits
 * elsewhere keep their positions. An equal text is not touched. The text must belong to a document.
 *
 * `target` has no formatting, so new text is formatted as typing would format it. A replacement
 * takes the formatting of the first replaced character. An insertion takes the formatting of the
 * character to its left, as `Y.Text.insert` does, except after a line break, whose formatting
 * (heading, list item) belongs to the line before it. An embed is deleted only when one edit
 * replaces text on both of its sides.
 *
 * Cost: that of `diffText`, and one pass over the items of the text.
 */
export function replaceText(
  text: Y.Text,
  target: string,
  budget = newBudget(),
  before = text.toString(),
): void {
  applyEdits(text, diffText(before, target, budget), () => target);
}

/**
 * Replaces the passage that begins after `offset` UTF-16 units, as `replaceText` replaces a text. Text that is
 * inserted at the start of the passage is formatted like its first character, not like the text before it.
 */
export function replacePassage(
  text: Y.Text,
  { offset, quote, replacement }: { offset: number; quote: string; replacement: string },
): void {
  const edits = diffText(quote, replacement, newBudget()).map(({ from, to, insert }) => ({
    from: from + offset,
    to: to + offset,
    insert,
  }));
  const after = (before: string) =>
    before.slice(0, offset) + replacement + before.slice(offset + quote.length);
  applyEdits(text, edits, after, offset);
}

/**
 * Applies edits to a plain or formatted text.
 *
 * @param after returns the content that the edits result in
 * @param passageStart the offset of a replaced passage
 */
function applyEdits(
  text: Y.Text,
  edits: readonly TextEdit[],
  after: (before: string) => string,
  passageStart?: number,
): void {
  if (edits.length === 0) return;
  const plain = plainContent(text);
  // In a formatted text, each `insert` or `delete` would search from the start, so one delta makes all edits.
  if (plain !== undefined) editPlain(text, edits, after(plain));
  else text.applyDelta(deltaOf(text.toDelta(), edits, passageStart));
}

function deltaOf(
  runs: readonly DeltaRun[],
  edits: readonly TextEdit[],
  passageStart?: number,
): DeltaStep[] {
  const characters = new CharacterReader(runs);
  const delta: DeltaStep[] = [];
  let covered = 0;
  for (const { from, to, insert } of edits) {
    const isReplacement = from < to;
    // New text takes its format from the first replaced character, or from the first character of the
    // passage, or else from the character to its left.
    const isBeforeModel = isReplacement || from === passageStart;
    const formatModel = characters.find(isBeforeModel ? from : from - 1);
    const start = isBeforeModel ? formatModel.position : formatModel.position + 1;
    const end = isReplacement ? characters.find(to - 1).position + 1 : start;
    if (start > covered) delta.push({ retain: start - covered });
    const attributes = isBeforeModel ? formatModel.attributes : attributesAfter(formatModel);
    // Inserting before deleting keeps the new text within the formatting of the text that it replaces.
    if (insert !== '') delta.push({ insert: copySlice(insert), attributes: { ...attributes } });
    if (isReplacement) delta.push({ delete: end - start });
    covered = end;
  }
  return delta;
}

function attributesAfter(left: Character): Attributes {
  return left.unit === '\n' ? {} : left.attributes;
}

interface Character {
  /** The index in the Y.Text, where each embed counts as one. */
  position: number;
  unit: string;
  attributes: Attributes;
}

/**
 * Finds characters by increasing offsets in `toString()`, where embeds do not count. The offset -1 is
 * before the first character.
 */
class CharacterReader {
  readonly #runs: readonly DeltaRun[];
  #runIndex = 0;
  #runStart = 0;
  #embeds = 0;

  constructor(runs: readonly DeltaRun[]) {
    this.#runs = runs;
  }

  find(offset: number): Character {
    let run = this.#runs[this.#runIndex];
    while (offset >= 0 && run) {
      if (typeof run.insert === 'string') {
        const within = offset - this.#runStart;
        if (within < run.insert.length) {
          const unit = run.insert.charAt(within);
          return { position: offset + this.#embeds, unit, attributes: run.attributes ?? {} };
        }
        this.#runStart += run.insert.length;
      } else {
        this.#embeds++;
      }
      this.#runIndex++;
      run = this.#runs[this.#runIndex];
    }
    return { position: -1, unit: '', attributes: {} };
  }
}
