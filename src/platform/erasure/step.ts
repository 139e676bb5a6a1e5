import type { Clock } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import type { EventLog } from '../events/event-log.ts';
import type { Secrets } from '../secrets.ts';
import type { Anonymiser } from './anonymiser.ts';
import type { Contents, ErasedPerson } from './people.ts';

/** The most rows that one transaction reads, so that no transaction takes long or holds up others. */
export const STEP_ROWS = 1_000;

/** The users whose data is erased, the scope of the erasure, and the services that steps need. */
export interface Erasure {
  events: EventLog;
  secrets: Secrets;
  clock: Clock;
  tenantId: string;
  /** Whether the users' content is kept or removed. */
  contents: Contents;
  people: ErasedPerson[];
  /** The ids of `people`. */
  userIds: string[];
  anonymiser: Anonymiser;
  /** Erase only in these organizations; undefined: everywhere in the API key. */
  organizationIds: string[] | undefined;
}

export interface StepResult {
  /** How many rows of each kind were removed or made anonymous. */
  counts: Record<string, number>;
  /** The position from which the next run continues; undefined when the step is finished. */
  next: string[] | undefined;
}

/**
 * A kind of data from which users are erased, defined by the feature that owns its table. The step
 * runs in transactions of its own until nothing is left, and once more after all other steps, for
 * data written in the meantime.
 */
export interface ErasureStep {
  /** The name in receipts and in the stored progress of running jobs. It must not change. */
  name: string;
  /** The step runs only if `contents` is `remove`. */
  onlyWhenRemovingContents?: true;
  /** The step is not repeated in the second round. */
  onlyOnce?: true;
  /** @param after the position of the previous run; empty at the beginning */
  run(erasure: Erasure, tx: Transaction, after: string[]): Promise<StepResult>;
}
