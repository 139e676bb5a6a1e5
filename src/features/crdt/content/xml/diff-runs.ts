import { diffText } from '../diff/diff-text.ts';
import type { WorkBudget } from '../diff/work-budget.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { copySlice } from '../plain-text.ts';
import { isTextRun, runLength, type XmlRun } from './xml-tree.ts';

/** A step of `Y.Text.applyDelta`. */
export type DeltaStep =
  | { retain: number; attributes?: JsonObject }
  | { delete: number }
  | { insert: unknown; attributes: JsonObject };

/** The object replacement character, which stands for an embedded value when texts are compared. */
const OBJECT = '\ufffc';

/**
 * Returns the delta that turns the runs `before` into `after`. Unchanged text is neither deleted
 * nor rewritten; only differing formats are set. The delta covers all of `before`.
 */
export function diffRuns(
  before: readonly XmlRun[],
  after: readonly XmlRun[],
  budget: WorkBudget,
): DeltaStep[] {
  const steps: DeltaStep[] = [];
  const [old, target] = [new RunReader(before), new RunReader(after)];
  let done = 0;
  const keepTo = (offset: number) => {
    const length = offset - done;
    if (length > 0) keep(steps, old.take(length), target.take(length));
    done = offset;
  };
  const edits = diffText(flat(before), flat(after), budget);
  for (const { from, to, insert } of edits) {
    keepTo(from);
    // Inserting before deleting keeps the new text within the formatting of the text that it replaces.
    steps.push(...insertionsOf(target.take(insert.length)));
    if (to > from) steps.push({ delete: to - from });
    old.take(to - from);
    done = to;
  }
  keepTo(before.reduce((length, run) => length + runLength(run), 0));
  return steps;
}

export const insertionsOf = (runs: readonly XmlRun[]): DeltaStep[] =>
  runs.map((run) => ({
    insert: isTextRun(run) ? copySlice(run.text) : toEmbed(run.embed),
    attributes: { ...run.formats },
  }));

/** Wraps values that are no objects, since a delta of Yjs would insert a string as text. */
const toEmbed = (value: JsonValue): unknown =>
  typeof value === 'object' && value !== null ? value : { value };

const flat = (runs: readonly XmlRun[]): string =>
  runs.map((run) => (isTextRun(run) ? run.text : OBJECT)).join('');

/**
 * Appends steps that keep equal text, which the runs of both sides may split differently. Embeds are
 * compared here, since all of them were the same character when the texts were compared.
 */
function keep(steps: DeltaStep[], before: XmlRun[], after: XmlRun[]): void {
  const [old, target] = [new RunReader(before), new RunReader(after)];
  let left = before.reduce((length, run) => length + runLength(run), 0);
  while (left > 0) {
    const length = Math.min(old.runLeft, target.runLeft);
    const [was, is] = [old.take(length)[0], target.take(length)[0]];
    if (length === 0 || !was || !is) return;
    if (sameValue(was, is)) steps.push(retain(length, changedFormats(was.formats, is.formats)));
    else steps.push(...insertionsOf([is]), { delete: length });
    left -= length;
  }
}

function sameValue(one: XmlRun, other: XmlRun): boolean {
  if (isTextRun(one) || isTextRun(other)) return isTextRun(one) && isTextRun(other);
  return JSON.stringify(one.embed) === JSON.stringify(other.embed);
}

const retain = (length: number, attributes: JsonObject): DeltaStep =>
  Object.keys(attributes).length > 0 ? { retain: length, attributes } : { retain: length };

/** A null value removes a format. */
function changedFormats(before: JsonObject, after: JsonObject): JsonObject {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  return Object.fromEntries([...changed, ...removed.map((name): [string, null] => [name, null])]);
}

/** Reads runs in parts, forwards only. */
class RunReader {
  readonly #runs: readonly XmlRun[];
  #at = 0;
  #offset = 0;

  constructor(runs: readonly XmlRun[]) {
    this.#runs = runs;
  }

  get runLeft(): number {
    const run = this.#runs[this.#at];
    return run ? runLength(run) - this.#offset : 0;
  }

  /** Reads the next units, at most as many as there are. */
  take(length: number): XmlRun[] {
    const taken: XmlRun[] = [];
    for (let left = length; left > 0; ) {
      const run = this.#runs[this.#at];
      if (!run) break;
      const count = Math.min(left, this.runLeft);
      taken.push(isTextRun(run) ? this.#slice(run, count) : run);
      this.#offset += count;
      left -= count;
      if (this.runLeft === 0) {
        this.#at++;
        this.#offset = 0;
      }
    }
    return taken;
  }

  #slice(run: { text: string; formats: JsonObject }, length: number): XmlRun {
    return { text: run.text.slice(this.#offset, this.#offset + length), formats: run.formats };
  }
}
