/** Documents and folders that one transaction deletes; more are left to a job. */
const MAX_AT_ONCE = 5_000;
/** Documents, or folders, that a job deletes in one transaction. */
export const JOB_STEP = 1_000;

/** What a deletion would take with it. */
export interface DeletionSize {
  id: string;
  documents: number;
  folders: number;
}

/** What is deleted now, as much as is small together, and what is left to jobs. */
export function splitBySize(sizes: DeletionSize[]): {
  now: DeletionSize[];
  later: DeletionSize[];
} {
  let total = 0;
  const now: DeletionSize[] = [];
  const later: DeletionSize[] = [];
  for (const size of sizes) {
    const more = size.documents + size.folders;
    if (total + more > MAX_AT_ONCE) later.push(size);
    else {
      total += more;
      now.push(size);
    }
  }
  return { now, later };
}

export const startedMessage = ({ documents, folders }: DeletionSize): string =>
  `Deletion started; ${documents > 0 ? `${documents} documents` : `${folders} folders`} are removed in the background.`;

export const UNDER_WAY = 'Deletion is under way already.';
