import { loadModule, parseSync } from 'libpg-query';
import { MODELS } from './prisma-schema.ts';

/** Every table of tenants, from the Prisma schema. */
export const TENANT_TABLES: ReadonlySet<string> = new Set(
  MODELS.filter(({ text }) => text.includes('@map("tenant_id")')).map(({ table }) => table),
);

await loadModule();

/** A part of a statement parsed by PostgreSQL's own parser. */
// biome-ignore lint/suspicious/noExplicitAny: the tree has a hundred kinds of nodes
type Node = any;

const problems = new Map<string, string | undefined>();

/**
 * The problem of a statement that reads or writes rows of a tenant's table without comparing their
 * tenant with a value. A statement for all tenants contains the comment `all tenants`, and one of
 * background work `all tenants, background`.
 */
export function tenantProblem(statement: string): string | undefined {
  if (!problems.has(statement)) problems.set(statement, findProblem(statement));
  return problems.get(statement);
}

function findProblem(statement: string): string | undefined {
  if (/\/\* all tenants(, background)? \*\//.test(statement)) return undefined;
  const names = [...statement.matchAll(/\w+/g)].map(([word]) => word);
  if (!names.some((name) => TENANT_TABLES.has(name))) return undefined;
  const table = unboundTable(parseSync(statement));
  return table && `A statement on ${table} does not compare the tenant: ${statement}`;
}

/** The first table in a tree whose rows are not limited to a tenant. */
function unboundTable(node: Node): string | undefined {
  if (typeof node !== 'object' || node === null) return undefined;
  for (const [kind, value] of Object.entries<Node>(node)) {
    const found = unboundIn(kind, value) ?? unboundTable(value);
    if (found) return found;
  }
  return undefined;
}

function unboundIn(kind: string, statement: Node): string | undefined {
  switch (kind) {
    case 'SelectStmt':
      return unbound(statement.fromClause ?? [], statement.whereClause);
    case 'UpdateStmt':
      return unbound(
        [wrap(statement.relation), ...(statement.fromClause ?? [])],
        statement.whereClause,
      );
    case 'DeleteStmt':
      return unbound(
        [wrap(statement.relation), ...(statement.usingClause ?? [])],
        statement.whereClause,
      );
    case 'InsertStmt': {
      const { relname } = statement.relation;
      const columns: Node[] = statement.cols ?? [];
      const namesTenant = columns.some((column) => column.ResTarget.name === 'tenant_id');
      return TENANT_TABLES.has(relname) && !namesTenant ? relname : undefined;
    }
    default:
      return undefined;
  }
}

const wrap = (relation: Node) => ({ RangeVar: relation });

/**
 * Tables that are joined by their tenant are limited together. A comparison with anything else (a
 * parameter, or a row of a subquery or of an outer statement) limits all of them.
 */
function unbound(from: Node[], where: Node): string | undefined {
  const tables = new Map<string, string>();
  const conditions: Node[] = [];
  const shared: string[][] = [];
  for (const item of from) collect(item, tables, conditions, shared);
  conditions.push(...conjuncts(where));
  const group = new Map([...tables.keys()].map((alias) => [alias, new Set([alias])]));
  const bound = new Set<string>();
  const bind = (aliases: string[], others: string[]) => {
    const known = [...aliases, ...others].filter((alias) => tables.has(alias));
    const joined = new Set(known.flatMap((alias) => [...(group.get(alias) ?? [])]));
    for (const alias of joined) group.set(alias, joined);
    const isOutside = others.length === 0 || others.some((alias) => !tables.has(alias));
    if (isOutside) for (const alias of known) bound.add(alias);
  };
  for (const aliases of shared) {
    const own = aliases.filter((alias) => tables.has(alias));
    bind(own, own.length < aliases.length ? ['outside'] : own);
  }
  for (const condition of conditions) {
    const [left, right] = sidesOf(condition);
    for (const [one, other] of [
      [left, right],
      [right, left],
    ] as const) {
      const aliases = tenantsIn(one, tables);
      if (aliases.length > 0) bind(aliases, tenantsIn(other, tables));
    }
  }
  for (const [alias, table] of tables) {
    if (![...(group.get(alias) ?? [])].some((member) => bound.has(member))) return table;
  }
  return undefined;
}

/** The tenants' tables of a FROM item by alias, and the conditions of its joins. */
function collect(
  item: Node,
  tables: Map<string, string>,
  conditions: Node[],
  shared: string[][],
): string[] {
  if (item.RangeVar) {
    const { relname, alias } = item.RangeVar;
    const name: string = alias?.aliasname ?? relname;
    if (TENANT_TABLES.has(relname)) tables.set(name, relname);
    return [name];
  }
  if (item.JoinExpr) {
    const { larg, rarg, quals, usingClause } = item.JoinExpr;
    const left = collect(larg, tables, conditions, shared);
    const right = collect(rarg, tables, conditions, shared);
    conditions.push(...conjuncts(quals));
    const using: Node[] = usingClause ?? [];
    if (using.some((column) => column.String.sval === 'tenant_id'))
      shared.push([...left, ...right]);
    return [...left, ...right];
  }
  const subquery = item.RangeSubselect ?? item.RangeFunction;
  return [subquery?.alias?.aliasname ?? 'outside'];
}

/** The conditions that are joined with AND. */
function conjuncts(condition: Node): Node[] {
  if (!condition) return [];
  const { BoolExpr } = condition;
  return BoolExpr?.boolop === 'AND_EXPR' ? BoolExpr.args.flatMap(conjuncts) : [condition];
}

/** The two sides of a comparison; empty for other conditions. */
function sidesOf({ A_Expr, SubLink }: Node): [Node, Node] {
  if (SubLink?.subLinkType === 'ANY_SUBLINK') return [SubLink.testexpr, undefined];
  const operator = A_Expr?.name?.at(-1)?.String.sval;
  return operator === '=' || operator === '@>'
    ? [A_Expr.lexpr, A_Expr.rexpr]
    : [undefined, undefined];
}

/** The aliases whose tenant column is on a side, alone or in a row or an array. */
function tenantsIn(side: Node, tables: ReadonlyMap<string, string>): string[] {
  if (!side) return [];
  const { ColumnRef, RowExpr, A_ArrayExpr, TypeCast } = side;
  if (TypeCast) return tenantsIn(TypeCast.arg, tables);
  if (RowExpr) return RowExpr.args.flatMap((part: Node) => tenantsIn(part, tables));
  if (A_ArrayExpr) return A_ArrayExpr.elements.flatMap((part: Node) => tenantsIn(part, tables));
  const names: Array<string | undefined> = (ColumnRef?.fields ?? []).map(
    (field: Node) => field.String?.sval,
  );
  if (names.at(-1) !== 'tenant_id') return [];
  // A column without an alias belongs to the one table with that column, or to all that share it.
  return names.length > 1 ? [names.at(-2) ?? ''] : [...tables.keys()];
}
