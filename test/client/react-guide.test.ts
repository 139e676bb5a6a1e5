import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

/** The names in the export clauses of a file: `type A as B` is `B`. */
function exportsOf(source: string): string[] {
  const clauses = [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)];
  const names = clauses.flatMap(([, clause = '']) => clause.split(','));
  return names.flatMap((name) => /(\w+)\s*$/.exec(name)?.[1] ?? []);
}

/** The names in the first column of the tables of the guide, without their arguments. */
function rowsOf(guide: string): string[] {
  const react = guide.slice(guide.indexOf('\n## React'), guide.indexOf('\n## Vue'));
  const rows = [...react.matchAll(/^\| (`[^|]*) \|/gm)];
  return rows.flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)(?:\([^`]*\))?`/g)].map(([, name = '']) => name),
  );
}

it('the guide has a line for every export of the React package, and for nothing else', () => {
  const exported = exportsOf(read('src/client/react.ts')).sort();
  expect(exported.length).toBeGreaterThan(50);
  expect(rowsOf(read('docs/client.md')).sort()).toEqual(exported);
});
