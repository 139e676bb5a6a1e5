import * as Y from 'yjs';
import { sharedTypeOf } from '../content-type.ts';
import { newBudget } from '../diff/work-budget.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { readValue } from '../read-json.ts';
import type { DeltaRun } from '../replace-text.ts';
import { diffRuns } from './diff-runs.ts';
import { changesNothing } from './split-delta.ts';
import { xmlSafeFields, xmlSafeJson } from './xml-attributes.ts';
import { addRun, type XmlRun, xmlSafe } from './xml-tree.ts';

/** Reads a text with its formats and embedded values. */
export function readRuns(text: Y.Text): XmlRun[] {
  const runs: XmlRun[] = [];
  addRuns(runs, text, false);
  return runs;
}

/** Changes a text to `target`, formats included, by a minimal change. */
export function replaceRuns(text: Y.Text, target: readonly XmlRun[]): void {
  const steps = diffRuns(readRuns(text), target, newBudget());
  if (!changesNothing(steps)) text.applyDelta(steps);
}

/** Appends the runs of a text. @param forXml whether characters that XML does not allow are replaced */
export function addRuns(runs: XmlRun[], text: Y.Text, forXml: boolean): void {
  for (const run of text.toDelta() as DeltaRun[]) addRun(runs, runOf(run, forXml));
}

export function runOf({ insert, attributes = {} }: DeltaRun, forXml: boolean): XmlRun {
  const formats = readFields(Object.entries(attributes), forXml);
  if (typeof insert === 'string') return { text: forXml ? xmlSafe(insert) : insert, formats };
  const embed = readValue(insert, 0) ?? null;
  return { embed: forXml ? xmlSafeJson(embed) : embed, formats };
}

/** Whether a field is left out: slots of Lexical, nested documents and XML types have content of their own. */
const isHidden = (name: string, value: unknown): boolean =>
  name === '__slots' || value instanceof Y.Doc || sharedTypeOf(value) === 'xml';

export function readFields(entries: Iterable<[string, unknown]>, forXml: boolean): JsonObject {
  const fields: [string, JsonValue][] = [];
  for (const [name, value] of entries) {
    const json = isHidden(name, value) ? undefined : readValue(value, 0);
    if (json !== undefined) fields.push([name, json]);
  }
  const object = Object.fromEntries(fields);
  return forXml ? xmlSafeFields(object) : object;
}
