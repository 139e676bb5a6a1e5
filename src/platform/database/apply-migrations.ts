import type { MigrationList } from '@prisma/schema-engine-wasm';
import { reasonOf } from '../start-error.ts';
import { withSchemaEngine } from './schema-engine.ts';

/**
 * A process of its own, which applies migrations, sends the reason of a failure, and ends: the engine
 * occupies a hundred megabytes, which a server would keep.
 */
export interface MigrationJob {
  databaseUrl: string;
  migrationsList: MigrationList;
}

const filters = { externalTables: [], externalEnums: [] };

process.once('message', async ({ databaseUrl, migrationsList }: MigrationJob) => {
  const reason = await withSchemaEngine(databaseUrl, (engine) =>
    engine.applyMigrations({ migrationsList, filters }),
  ).then(() => null, reasonOf);
  process.send?.({ reason });
});
// The lock for migrations is held by the parent, so without it nothing may be applied.
process.once('disconnect', () => process.exit());
