import type { Config } from '../../config.ts';
import { Database } from '../../platform/database/database.ts';
import { replayedPosition, writtenPosition } from '../../platform/database/replica.ts';
import { createLogger } from '../../platform/logging.ts';
import { reasonOf } from '../../platform/start-error.ts';
import { type Finding, fine, problem, warning } from './check.ts';

/** Whether READ_DATABASE_URL leads to a replica of the database. */
export async function checkReplica(
  { readDatabaseUrl }: Pick<Config, 'readDatabaseUrl'>,
  databaseUrl: string,
): Promise<Finding[]> {
  if (readDatabaseUrl === undefined) return [];
  const log = createLogger('silent');
  const primary = new Database({ url: databaseUrl, poolSize: 1, log });
  const replica = new Database({ url: readDatabaseUrl, poolSize: 1, log });
  try {
    const replayed = await replayedPosition(replica);
    const written = await writtenPosition(primary);
    if (replayed.lineage !== written.lineage || replayed.bytes === 0n) {
      const remedy = 'Let READ_DATABASE_URL lead to a streaming replica of the database.';
      return [problem('replica', 'READ_DATABASE_URL leads to no replica of it.', remedy)];
    }
    const behind = written.bytes - replayed.bytes;
    return [fine('replica', `The replica is ${behind} bytes of the log behind.`)];
  } catch (error) {
    const remedy = 'Check READ_DATABASE_URL. Until it answers, the primary serves lists.';
    return [warning('replica', `The replica does not answer (${reasonOf(error)}).`, remedy)];
  } finally {
    await Promise.all([primary.close(), replica.close()]);
  }
}
