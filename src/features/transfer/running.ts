import type { Services } from '../../api/context.ts';
import type { ArchivedTable } from '../../platform/archives/archived-table.ts';
import type { JobRef, Progress, TransferRow } from './transfers.ts';

/** A transfer that runs. */
export interface Running {
  services: Services;
  ref: JobRef;
  row: TransferRow;
  tables: readonly ArchivedTable[];
  /** A folder for files that are needed meanwhile, which does not exist yet. */
  folder: string;
  signal: AbortSignal;
  /** Counts progress. It throws once the process stops. */
  advance(done: Partial<Progress>): Promise<void>;
}
