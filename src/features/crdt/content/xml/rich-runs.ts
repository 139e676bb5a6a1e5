import * as Y from 'yjs';
import { sharedTypeOf } from '../content-type.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { readValue } from '../read-content.ts';
import { newBudget } from '../work-budget.ts';
import { diffRuns } from './diff-runs.ts';
import { changesNothing } from './split-delta.ts';
import { speakableFields, speakableJson } from './xml-attributes.ts';
import { addRun, speakable, type XmlRun } from './xml-tree.ts';

/** What a text holds, with its formats and embedded values. */
export function readRuns(text: Y.Text): XmlRun[] {
  const runs: XmlRun[] = [];
  addRuns(runs, text);
  return runs;
}

/** Makes a text read so, formats included, by a minimal change. */
export function replaceRuns(text: Y.Text, target: readonly XmlRun[]): void {
  const steps = diffRuns(readRuns(text), target, newBudget());
  if (!changesNothing(steps)) text.applyDelta(steps);
}

export function addRuns(runs: XmlRun[], text: Y.Text): void {
  for (const { insert, attributes } of text.toDelta() as DeltaRun[]) {
    addRun(runs, runOf(insert, attributes));
  }
}

/** What `toDelta` gives: a run of text in one formatting, or an embed, which takes one position. */
export interface DeltaRun {
  insert: unknown;
  attributes?: Record<string, unknown>;
}

export function runOf(insert: unknown, attributes: DeltaRun['attributes'] = {}): XmlRun {
  const formats = readFields(Object.entries(attributes));
  if (typeof insert === 'string') return { text: speakable(insert), formats };
  return { embed: speakableJson(readValue(insert, 0) ?? null), formats };
}

/** Lexical's slots hold content of their own; like nested documents they are left as they are. */
const HIDDEN = new Set(['__slots']);

const isHidden = (name: string, value: unknown): boolean =>
  HIDDEN.has(name) || value instanceof Y.Doc || sharedTypeOf(value) === 'xml';

export function readFields(entries: Iterable<[string, unknown]>): JsonObject {
  const fields: [string, JsonValue][] = [];
  for (const [name, value] of entries) {
    const json = isHidden(name, value) ? undefined : readValue(value, 0);
    if (json !== undefined) fields.push([name, json]);
  }
  return speakableFields(Object.fromEntries(fields));
}
