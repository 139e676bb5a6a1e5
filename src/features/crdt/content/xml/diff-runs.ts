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
const OBJECT_REPLACEMENT = '\ufffc';

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
  const [oldRuns, newRuns] = [new RunReader(before), new RunReader(after)];
  let covered = 0;
  const keepUntil = (offset: number) => {
    const length = offset - covered;
    if (length > 0) keepEqual(steps, oldRuns.read(length), newRuns.read(length));
    covered = offset;
  };
  const edits = diffText(plainTextOf(before), plainTextOf(after), budget);
  for (const { from, to, insert } of edits) {
    keepUntil(from);
    // Inserting before deleting keeps the new text within the formatting of the text that it replaces.
    steps.push(...insertionsOf(newRuns.read(insert.length)));
    if (to > from) steps.push({ delete: to - from });
    oldRuns.read(to - from);
    covered = to;
  }
  keepUntil(before.reduce((length, run) => length + runLength(run), 0));
  return steps;
}

export const insertionsOf = (runs: readonly XmlRun[]): DeltaStep[] =>
  runs.map((run) => ({
    insert: isTextRun(run) ? copySlice(run.text) : toEmbed(run.embed),
    attributes: { ...run.formats },
  }));

/** Wraps values that are not objects, since a Yjs delta would insert a string as text. */
const toEmbed = (value: JsonValue): unknown =>
  typeof value === 'object' && value !== null ? value : { value };

const plainTextOf = (runs: readonly XmlRun[]): string =>
  runs.map((run) => (isTextRun(run) ? run.text : OBJECT_REPLACEMENT)).join('');

/**
 * Appends steps that keep equal text, which the runs of both sides may split differently. Embeds are
 * compared here, since all of them were the same character when the texts were compared.
 */
function keepEqual(steps: DeltaStep[], before: XmlRun[], after: XmlRun[]): void {
  const [oldRuns, newRuns] = [new RunReader(before), new RunReader(after)];
  let remaining = before.reduce((length, run) => length + runLength(run), 0);
  while (remaining > 0) {
    const length = Math.min(oldRuns.remainingInRun, newRuns.remainingInRun);
    const [old, current] = [oldRuns.read(length)[0], newRuns.read(length)[0]];
    if (length === 0 || !old || !current) return;
    if (sameValue(old, current)) {
      steps.push(retain(length, changedFormats(old.formats, current.formats)));
    } else {
      steps.push(...insertionsOf([current]), { delete: length });
    }
    remaining -= length;
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
  #runIndex = 0;
  #offset = 0;

  constructor(runs: readonly XmlRun[]) {
    this.#runs = runs;
  }

  get remainingInRun(): number {
    const run = this.#runs[this.#runIndex];
    return run ? runLength(run) - this.#offset : 0;
  }

  /** Reads the next units, at most as many as there are. */
  read(length: number): XmlRun[] {
    const taken: XmlRun[] = [];
    let remaining = length;
    while (remaining > 0) {
      const run = this.#runs[this.#runIndex];
      if (!run) break;
      const count = Math.min(remaining, this.remainingInRun);
      taken.push(isTextRun(run) ? this.#slice(run, count) : run);
      this.#offset += count;
      remaining -= count;
      if (this.remainingInRun === 0) {
        this.#runIndex++;
        this.#offset = 0;
      }
    }
    return taken;
  }

  #slice(run: { text: string; formats: JsonObject }, length: number): XmlRun {
    return { text: run.text.slice(this.#offset, this.#offset + length), formats: run.formats };
  }
}
