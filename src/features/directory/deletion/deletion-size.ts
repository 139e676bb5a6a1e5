/** The most documents and folders that one transaction deletes; a job deletes larger sets. */
const MAX_AT_ONCE = 5_000;

/** The number of rows that a deletion includes. */
export interface DeletionSize {
  id: string;
  documents: number;
  folders: number;
}

/** Divides deletions into those that are small enough to run now, and those for jobs. */
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
