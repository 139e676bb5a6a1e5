import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { loadModule, parseSync } from 'libpg-query';
import { describe, expect, it } from 'vitest';

const FOLDER = path.join(import.meta.dirname, '../../prisma/migrations');
const migrations = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({
    name,
    text: readFileSync(path.join(FOLDER, name, 'migration.sql'), 'utf8'),
  }));

/** The first migration, which makes the whole schema of a release. The others are changes of it. */
const [FIRST = ''] = migrations.map(({ name }) => name);

/** The newest migration that is older than the rule of building indexes apart from other changes. */
const BEFORE_INDEXES_APART = '20261125200022_console_requests_and_acts';

await loadModule();

/** The parts of a parsed statement that name what it is about. */
interface Statement {
  relation?: { relname: string };
  relations?: Array<{ RangeVar: { relname: string } }>;
  objects?: Array<{ List: { items: Array<{ String: { sval: string } }> } }>;
}

/**
 * The tables that statements of these kinds lock in a migration until it commits, without those that it
 * makes. By default: the tables that it locks against writers. An index that is dropped counts for its table.
 */
function lockedTables(
  text: string,
  kinds = /^(?:AlterTable|Index|Drop|Rename|CreateTrig|Lock|Truncate)Stmt$/,
): string[] {
  const statements = (parseSync(text).stmts ?? []).flatMap(
    ({ stmt }) => Object.entries(stmt ?? {}) as Array<[kind: string, Statement]>,
  );
  const tablesOf = (someKinds: RegExp) =>
    statements
      .filter(([kind]) => someKinds.test(kind))
      .flatMap(([, { relation, relations = [], objects = [] }]) => [
        ...(relation ? [relation.relname] : []),
        ...relations.map(({ RangeVar }) => RangeVar.relname),
        ...objects.map(({ List }) => List.items.at(-1)?.String.sval ?? ''),
      ]);
  const made = new Set(tablesOf(/^CreateStmt$/));
  return [...new Set(tablesOf(kinds))].filter((table) => !made.has(table));
}

/**
 * Statements that rewrite a table under a lock, scan it under one, or take something away that the release
 * before uses. A migration after that release may contract: the line above says why, after
 * `-- contract:`, and the migration adds itself to schema_requirements.
 */
const NEEDS_A_REASON =
  /\b(DROP (TABLE|COLUMN|CONSTRAINT|DEFAULT)|RENAME|ALTER COLUMN .* TYPE|SET NOT NULL|TRUNCATE)\b/i;
/** Adding a column with a default that differs from row to row rewrites the table. */
const REWRITES = /\bADD COLUMN .* DEFAULT (?!true|false|null|now\(\)|CURRENT_TIMESTAMP|'|-?\d)/i;

/** A constraint that the same statement adds again, without looking at the rows, is replaced. */
const REPLACES = /DROP CONSTRAINT ("\w+"),\s+ADD CONSTRAINT \1 [^;]* NOT VALID;/g;

function unexplained(text: string): string[] {
  const lines = text.replaceAll(REPLACES, '').split('\n');
  return lines.filter((line, at) => {
    const statement = line.replace(/--.*$/, '');
    if (REWRITES.test(statement)) return true;
    return NEEDS_A_REASON.test(statement) && !/^-- contract: \w/.test(lines[at - 1] ?? '');
  });
}

it.each(migrations)('migrations $name runs inside one transaction', ({ text }) => {
  const statements = text.replace(/--.*$/gm, '');
  expect(statements).not.toMatch(/\bCONCURRENTLY\b/i);
  expect(statements).not.toMatch(/(?:^|;)\s*(?:BEGIN|COMMIT|ROLLBACK|VACUUM)\b/i);
});

describe('migrations after the first', () => {
  it.each(migrations.filter(({ name }) => name > FIRST))(
    '$name takes nothing away from the release before, rewrites no table, and locks one at most',
    ({ text }) => {
      expect(unexplained(text)).toEqual([]);
      const contracts = /^-- contract:/m.test(text);
      expect(/INSERT INTO "?schema_requirements"?/.test(text)).toBe(contracts);
      expect(lockedTables(text).length).toBeLessThanOrEqual(1);
    },
  );

  it.each(migrations.filter(({ name }) => name > BEFORE_INDEXES_APART))(
    '$name lets readers of a table go on while it builds an index',
    ({ text }) => {
      const altered = lockedTables(text, /^(?:AlterTable|Drop|Rename|Truncate)Stmt$/);
      if (altered.length > 0) expect(lockedTables(text, /^IndexStmt$/)).toEqual([]);
    },
  );

  it('lock what they alter, index, or drop, and not what they make', () => {
    const text = `CREATE TABLE "a" ("id" TEXT); CREATE INDEX ON "a" ("id"); ALTER TABLE "b" ADD COLUMN "c" TEXT;
      CREATE INDEX "i" ON "c" ("id"); DROP TABLE "d"; ALTER TABLE "e" RENAME TO "f"; LOCK TABLE "g", "b";`;
    expect(lockedTables(text)).toEqual(['b', 'c', 'd', 'e', 'g']);
  });

  it.each([
    ['ALTER TABLE "users" DROP COLUMN "name";'],
    ['ALTER TABLE "users" ALTER COLUMN "name" TYPE BIGINT;'],
    ['ALTER TABLE "users" DROP CONSTRAINT "one", ADD CONSTRAINT "two" CHECK (TRUE) NOT VALID;'],
    ['ALTER TABLE "users" ADD COLUMN "key" TEXT DEFAULT gen_random_uuid();'],
  ])('must give a reason for %s', (line) => {
    expect(unexplained(line)).toEqual([line]);
    expect(unexplained(`-- ${line}`)).toEqual([]);
  });
});
