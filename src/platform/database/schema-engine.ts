import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';
import { Pool } from 'pg';
import { UNLIMITED } from './open-pool.ts';

/** Whatever needs a table waits behind a migration that waits for its lock, so it soon gives way. */
const LOCK_PATIENCE = '-c lock_timeout=2s';
const LOCK_PAUSE_MS = 1_000;
const LOCK_ATTEMPTS = 100;
/** SQLSTATE codes of a lock that was not had in time, and of a deadlock. */
const GAVE_WAY = new Set(['55P03', '40P01']);

/**
 * Runs Prisma's migration engine as WebAssembly, over the same driver as everything else. Prisma's
 * command line would download a native engine instead, which is impossible behind many firewalls.
 */
export async function withSchemaEngine<Result>(
  databaseUrl: string,
  work: (engine: SchemaEngine) => Promise<Result>,
): Promise<Result> {
  const bindings = await loadBindings();
  // The engine leaves its connection open, so the pool is ours to close.
  const options = `${UNLIMITED} ${LOCK_PATIENCE}`;
  const pool = new Pool({ connectionString: databaseUrl, options, max: 1 });
  const adapter = bindMigrationAwareSqlAdapterFactory(wholeScripts(pool));
  try {
    const engine = await bindings.SchemaEngine.new({ datamodels: undefined }, noLog, adapter);
    return await work(engine);
  } finally {
    await pool.end();
  }
}

/**
 * Prisma's adapter splits a script at every semicolon and runs the parts one by one. Sent as a
 * whole, a script is one transaction, and may contain semicolons inside statements.
 */
function wholeScripts(pool: Pool): PrismaPg {
  const factory = new PrismaPg(pool);
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    adapter.executeScript = async (script) => {
      await untilLocked(() => adapter.executeRaw({ sql: script, args: [], argTypes: [] }));
    };
    return adapter;
  };
  return factory;
}

/** Repeats a script, of which nothing was applied, until it has its locks. */
async function untilLocked(run: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await run();
      return;
    } catch (error) {
      const { cause } = error as { cause?: { originalCode?: string } };
      if (attempt === LOCK_ATTEMPTS || !GAVE_WAY.has(cause?.originalCode ?? '')) throw error;
      await delay(LOCK_PAUSE_MS);
    }
  }
}

const noLog = () => undefined;

/** The bindings keep their instance in the module, so there can be only one in a process. */
let loaded: ReturnType<typeof instantiate> | undefined;

function loadBindings() {
  loaded ??= instantiate();
  return loaded;
}

async function instantiate() {
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
