import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SEALED_COLUMNS } from '../../src/cli/rotate-secrets.ts';

const SCHEMA = path.join(import.meta.dirname, '../../prisma/schema');
/** These values expire within 24 hours. */
const LEFT_TO_EXPIRE = ['idempotency_keys.sealed_answer'];

const schema = readdirSync(SCHEMA)
  .map((file) => readFileSync(path.join(SCHEMA, file), 'utf8'))
  .join('\n');

describe('rotation of SECRET_KEY', () => {
  it('covers every encrypted column of the schema', () => {
    const inSchema = (schema.match(/^model [\s\S]*?^}/gm) ?? []).flatMap((model) => {
      const table = /@@map\("(\w+)"\)/.exec(model)?.[1];
      return [...model.matchAll(/@map\("(sealed_\w+)"\)/g)].map(
        ([, column]) => `${table}.${column}`,
      );
    });
    const named = SEALED_COLUMNS.filter(({ column }) => column.startsWith('sealed_'));
    const known = named.map(({ table, column }) => `${table}.${column}`);
    expect([...known, ...LEFT_TO_EXPIRE].sort()).toEqual(inSchema.sort());
  });

  it('identifies every row of every column', () => {
    const places = SEALED_COLUMNS.flatMap(({ key, storageAddress }) =>
      ['one', 'two'].flatMap((value) =>
        ['one', 'two'].map((other) =>
          storageAddress(...[value, Buffer.from(other)].slice(0, key.length)),
        ),
      ),
    );
    const rows = SEALED_COLUMNS.map(({ key }) => 2 ** key.length);
    expect(new Set(places).size).toBe(rows.reduce((sum, count) => sum + count));
  });
});
