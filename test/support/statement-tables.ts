import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SCHEMA = path.join(import.meta.dirname, '../../prisma/schema');

/** Every table by the name that Prisma's client gives it, e.g. `apiKey`. */
export const TABLES: ReadonlyMap<string, string> = new Map(
  readdirSync(SCHEMA)
    .map((file) => readFileSync(path.join(SCHEMA, file), 'utf8'))
    .flatMap((text) => [...text.matchAll(/^model (\w+) [\s\S]*?@@map\("(\w+)"\)/gm)])
    .map(([, model = '', table = '']) => [model[0]?.toLowerCase() + model.slice(1), table]),
);

/** `FROM notifications n`, and the fragment sql`notifications t` that a helper gets as `table`. */
const IN_SQL = new RegExp(
  `(?:\\b(FROM|JOIN|UPDATE|INTO|USING|COPY)\\s+|\\b(table): sql\`|\\bsql\`\\s*)` +
    `(${[...TABLES.values()].join('|')})(?![\\w:'-])`,
  'g',
);
const IN_PRISMA = /\bprisma\.(\w+)\.(find|count|aggregate)?\w*\(/g;

/** Helpers that change the rows of the table that they get. */
const CHANGES_ROWS = /\b(?:walkRows|removeRows)\(/;

/** Returns the tables that the statements in a source file read and write. */
export function tablesIn(text: string): Array<{ table: string; writes: boolean }> {
  const changesRows = CHANGES_ROWS.test(text);
  const inSql = [...text.matchAll(IN_SQL)].map(
    ({ 1: keyword, 2: field, 3: table = '', index }) => ({
      table,
      writes:
        ['UPDATE', 'INTO', 'COPY'].includes(keyword ?? '') ||
        (keyword === 'FROM' && /\bDELETE\s+$/.test(text.slice(0, index))) ||
        (field !== undefined && changesRows),
    }),
  );
  const inPrisma = [...text.matchAll(IN_PRISMA)].map(([, model = '', reads]) => ({
    table: TABLES.get(model) ?? model,
    writes: reads === undefined,
  }));
  return [...inSql, ...inPrisma];
}
