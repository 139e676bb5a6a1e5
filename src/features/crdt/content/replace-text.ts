import type * as Y from 'yjs';
import { diffText, type TextEdit } from './diff-text.ts';
import { newBudget } from './work-budget.ts';

/** What `toDelta` gives: a run of text in one formatting, or an embed, which takes one position. */
interface Run {
  insert: unknown;
  attributes?: Attributes;
}

type Attributes = Record<string, unknown>;
type DeltaStep =
  | { retain: number }
  | { delete: number }
  | { insert: string; attributes: Attributes };

/**
 * Makes the text read `target` by the edits of `diffText`, so that cursors and concurrent edits
 * outside them keep their place. An equal text is not touched. Needs a text inside a document.
 *
 * Formatting is not part of `target`, so new text takes what an author would expect: in place of
 * other text the formatting of its first character, as when one types over a selection; elsewhere
 * that of the character to its left, as `Y.Text.insert` does, but nothing from a line break, whose
 * formatting (heading, list item) belongs to the line that it ends. An embed goes only when text on
 * both sides of it goes in one edit.
 *
 * Bound: that of `diffText`, and one pass over the items of the text.
 */
export function replaceText(text: Y.Text, target: string, budget = newBudget()): void {
  const runs: Run[] = text.toDelta();
  const edits = diffText(text.toString(), target, budget);
  // One delta and not insert and delete: those look for their index from the start of a formatted
  // text, every time.
  if (edits.length > 0) text.applyDelta(deltaOf(runs, edits));
}

function deltaOf(runs: readonly Run[], edits: readonly TextEdit[]): DeltaStep[] {
  const characters = new CharacterWalk(runs);
  const delta: DeltaStep[] = [];
  let done = 0;
  for (const { from, to, insert } of edits) {
    const replaces = from < to;
    const anchor = replaces ? characters.at(from) : characters.at(from - 1);
    const start = replaces ? anchor.position : anchor.position + 1;
    const end = replaces ? characters.at(to - 1).position + 1 : start;
    if (start > done) delta.push({ retain: start - done });
    // Before the deletion: so it stands inside the formatting of what it replaces.
    if (insert !== '') {
      const attributes = replaces ? anchor.attributes : continued(anchor);
      delta.push({ insert: unshared(insert), attributes: { ...attributes } });
    }
    if (replaces) delta.push({ delete: end - start });
    done = end;
  }
  return delta;
}

function continued(left: Character): Attributes {
  return left.unit === '\n' ? {} : left.attributes;
}

/** A slice keeps the whole text it was cut from in memory for as long as the document lives. */
export function unshared(slice: string): string {
  return Buffer.from(slice).toString();
}

interface Character {
  /** Its index in the Y.Text, where embeds count. */
  position: number;
  unit: string;
  attributes: Attributes;
}

/** Finds characters by their offset in `toString()`, where embeds do not count; forwards only. */
class CharacterWalk {
  readonly #runs: readonly Run[];
  #run = 0;
  #offset = 0;
  #embeds = 0;

  constructor(runs: readonly Run[]) {
    this.#runs = runs;
  }

  at(offset: number): Character {
    for (let run = this.#runs[this.#run]; offset >= 0 && run; run = this.#runs[++this.#run]) {
      if (typeof run.insert !== 'string') {
        this.#embeds++;
        continue;
      }
      const within = offset - this.#offset;
      if (within < run.insert.length) {
        const unit = run.insert.charAt(within);
        return { position: offset + this.#embeds, unit, attributes: run.attributes ?? {} };
      }
      this.#offset += run.insert.length;
    }
    return { position: -1, unit: '', attributes: {} };
  }
}
