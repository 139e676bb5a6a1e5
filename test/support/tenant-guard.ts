import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SCHEMA = path.join(import.meta.dirname, '../../prisma/schema');

/** Every table that belongs to a tenant, read from the schema. */
export const TENANT_TABLES: ReadonlySet<string> = new Set(
  readdirSync(SCHEMA)
    .map((file) => readFileSync(path.join(SCHEMA, file), 'utf8'))
    .flatMap((text) => text.match(/^model [\s\S]*?^}/gm) ?? [])
    .filter((model) => model.includes('@map("tenant_id")'))
    .flatMap((model) => /@@map\("(\w+)"\)/.exec(model)?.[1] ?? []),
);

/**
 * Says what is wrong with a statement that reads or writes a tenant's table without naming the
 * tenant. What is meant for all tenants says so: \/* all tenants *\/.
 */
export function tenantProblem(statement: string): string | undefined {
  if (statement.includes('/* all tenants */')) return undefined;
  const tables = [
    ...statement.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE)\s+(?:"public"\.)?"?(\w+)"?/gi),
  ];
  const table = tables.find((match) => TENANT_TABLES.has(match[1] ?? ''))?.[1];
  return table && !/tenant_id/.test(statement)
    ? `A statement on ${table} does not name the tenant: ${statement}`
    : undefined;
}
