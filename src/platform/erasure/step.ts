import type { Clock } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import type { EventLog } from '../events/event-log.ts';
import type { Secrets } from '../secrets.ts';
import type { Anonymiser } from './anonymiser.ts';
import type { Contents, ErasedPerson } from './people.ts';

/** Rows that one transaction reads at most, so that none takes long or holds up others. */
export const STEP_ROWS = 1_000;

/** The users whose data is erased, and the scope of the erasure. */
export interface Erasure {
  events: EventLog;
  secrets: Secrets;
  clock: Clock;
  tenantId: string;
  contents: Contents;
  people: ErasedPerson[];
  userIds: string[];
  anonymiser: Anonymiser;
  /** Erase only in these organizations. Undefined: in all of the key. */
  organizationIds: string[] | undefined;
}

export interface StepResult {
  /** How many rows of each kind were removed or made anonymous. */
  counts: Record<string, number>;
  /** The position from which the next run continues. Undefined: the step is finished. */
  next: string[] | undefined;
}

/**
 * A kind of data that is cleared of users, as the feature that owns its table says. It is run in a
 * transaction of its own, again and again until nothing is left; and when all other steps are
 * through, once more from the beginning, for what was written meanwhile.
 */
export interface ErasureStep {
  /** Names it in the receipt, and while it is under way: stays as it is. */
  name: string;
  /** The step runs only where what users wrote goes too. */
  onlyRemoving?: true;
  /** The step is not repeated in the second round. */
  onlyOnce?: true;
  /** @param after where the run before this one came to; empty: the beginning */
  run(erasure: Erasure, tx: Transaction, after: string[]): Promise<StepResult>;
}
