import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FieldDef, QueryResult } from 'pg';
import { Database, type Sql } from '../../../src/platform/database/database.ts';
import { OperationDatabase } from '../../../src/platform/database/operation-database.ts';
import { OpenTransaction } from '../../../src/platform/database/transaction.ts';
import type { DeclaredRow, DeclaredRows, Kind } from './declared-rows.ts';

const PROJECT = path.join(import.meta.dirname, '../../..');
/** The code that runs statements for callers. */
const RUNNER = /src\/platform\/database\//;

/** The kind that the driver returns for a type. All other types are strings. */
const KINDS: Record<number, Kind> = {
  16: 'boolean',
  17: 'Buffer',
  21: 'number',
  23: 'number',
  26: 'number',
  114: 'json',
  700: 'number',
  701: 'number',
  1114: 'Date',
  1184: 'Date',
  3802: 'json',
};
/** The array types that statements of the product return. */
const ARRAYS = new Set([199, 1000, 1001, 1005, 1007, 1009, 1015, 1016, 1021, 1022, 1185, 3807]);

/** The position from which each statement was first run, by its text. */
const sites = new Map<string, string | undefined>();
const problems = new Set<string>();
let declaredRows: DeclaredRows = {};

/** Compares the rows of all later statements with those that the callers declare. */
export function guardRows(declaredRowsFile: string): void {
  declaredRows = JSON.parse(readFileSync(declaredRowsFile, 'utf8'));
  noteCallers(Database.prototype, ['query', 'write']);
  noteCallers(OperationDatabase.prototype, ['query', 'write']);
  noteCallers(OpenTransaction.prototype, ['query']);
}

/** The problems found so far. */
export const takeRowProblems = (): string[] => {
  const found = [...problems];
  problems.clear();
  return found;
};

type Runs<Name extends string> = Record<Name, (statement: Sql) => Promise<unknown>>;

function noteCallers<Name extends string>(prototype: Runs<Name>, names: Name[]): void {
  for (const name of names) {
    const run = prototype[name];
    prototype[name] = function noted(this: unknown, statement: Sql) {
      if (!sites.has(statement.text)) sites.set(statement.text, callerOf(new Error().stack));
      return run.call(this, statement);
    } as Runs<Name>[Name];
  }
}

function callerOf(stack = ''): string | undefined {
  const frames = stack.matchAll(/\(?([^\s(]+\.ts):(\d+):\d+\)?$/gm);
  for (const [, file = '', line] of frames) {
    const name = path.relative(PROJECT, file.replace('file://', ''));
    if (name.startsWith('src/') && !RUNNER.test(name)) return `${name}:${line}`;
  }
  return undefined;
}

/** Checks the result of a statement. */
export function checkRows(text: string, { fields, rows }: QueryResult): void {
  const site = sites.get(text);
  const declared = site === undefined ? undefined : declaredRows[site];
  if (!declared || !fields) return;
  const problem = rowProblem(declared, fields, rows);
  if (problem) problems.add(`${site}: ${problem}`);
}

/** The difference between a declared row and a returned one; undefined if they agree. */
export function rowProblem(
  declared: DeclaredRow,
  fields: FieldDef[],
  rows: ReadonlyArray<Record<string, unknown>>,
): string | undefined {
  const returned = new Map(fields.map(({ name, dataTypeID }) => [name, kindOf(dataTypeID)]));
  for (const [name, kinds] of Object.entries(declared)) {
    const kind = returned.get(name);
    if (!kind) return `"${name}" is declared and not returned`;
    if (!kinds.includes(kind)) {
      return `"${name}" is declared as ${kinds.join(' or ')} and returned as ${kind}`;
    }
    if (!kinds.includes('null') && rows.some((row) => row[name] === null)) {
      return `"${name}" is declared without null and was null`;
    }
  }
  return undefined;
}

const kindOf = (type: number): Kind => (ARRAYS.has(type) ? 'array' : (KINDS[type] ?? 'string'));
