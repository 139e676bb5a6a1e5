import type { FieldDef } from 'pg';
import { describe, expect, it } from 'vitest';
import type { DeclaredRow } from './declared-rows.ts';
import { rowProblem } from './row-guard.ts';

const TEXT = 25;
const INT4 = 23;
const INT8 = 20;
const JSONB = 3802;

const fields = (types: Record<string, number>): FieldDef[] =>
  Object.entries(types).map(([name, dataTypeID]) => ({ name, dataTypeID }) as FieldDef);

const declared: DeclaredRow = { id: ['string'], count: ['number'], note: ['string', 'null'] };

describe('the guard of rows', () => {
  it('accepts rows as declared, also if there are none', () => {
    const columns = fields({ id: TEXT, count: INT4, note: TEXT });
    expect(rowProblem(declared, columns, [])).toBeUndefined();
    expect(rowProblem(declared, columns, [{ id: 'a', count: 1, note: null }])).toBeUndefined();
    expect(rowProblem({ data: ['json'] }, fields({ data: JSONB }), [])).toBeUndefined();
  });

  it.each([
    ['a column that is missing', { id: TEXT, count: INT4 }, []],
    ['a column of another type', { id: TEXT, count: INT8, note: TEXT }, []],
    ['a null', { id: TEXT, count: INT4, note: TEXT }, [{ id: null, count: 1, note: null }]],
  ])('finds %s', (_, types, rows) => {
    expect(rowProblem(declared, fields(types), rows)).toMatch(/^"(note|count|id)" is/);
  });
});
