import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';
import { Pool } from 'pg';

/**
 * Runs Prisma's engine for schemas as WebAssembly, over the same driver as everything else. Prisma's
 * command line would download a native engine instead, which is impossible behind many firewalls.
 */
export async function withSchemaEngine<Result>(
  databaseUrl: string,
  work: (engine: SchemaEngine) => Promise<Result>,
): Promise<Result> {
  const bindings = await loadBindings();
  // The engine does not close its connection, so the pool is closed below.
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg(pool));
  try {
    const engine = await bindings.SchemaEngine.new({ datamodels: undefined }, noLog, adapter);
    return await work(engine);
  } finally {
    await pool.end();
  }
}

const noLog = () => undefined;

async function loadBindings() {
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const bindingsPath = createRequire(import.meta.url).resolve(
    '@prisma/schema-engine-wasm/schema_engine_bg',
  );
  const wasmPath = path.join(path.dirname(bindingsPath), 'schema_engine_bg.wasm');
  const module = await WebAssembly.compile(await readFile(wasmPath));
  const { exports } = await WebAssembly.instantiate(module, {
    './schema_engine_bg.js': bindings as unknown as WebAssembly.ModuleImports,
  });
  bindings.__wbg_set_wasm(exports);
  (exports.__wbindgen_start as () => void)();
  return bindings;
}
