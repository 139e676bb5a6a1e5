/** One line of the table of goals: a finding with a target. */
export interface Goal {
  what: string;
  benchmark: string;
  /** The finding of the benchmark. */
  label: string;
  /** Why the goal is missed, if it is. */
  why?: string;
}

const RATIO = 'ratio of requests/s';
const ALONE = 'one caller, ratio of medians';

/** Ratios are to the same work written by hand, in the same run. */
export const GOALS: Goal[] = [
  { what: 'Read one setting: requests a second', benchmark: 'settings-get', label: RATIO },
  { what: 'Read one setting: time of one caller', benchmark: 'settings-get', label: ALONE },
  { what: 'Read 30 documents by id: requests a second', benchmark: 'documents-get', label: RATIO },
  { what: 'Read 30 documents by id: time of one caller', benchmark: 'documents-get', label: ALONE },
  { what: 'Read 50 annotations: requests a second', benchmark: 'annotations-get', label: RATIO },
  { what: 'Read 50 annotations: time of one caller', benchmark: 'annotations-get', label: ALONE },
  { what: 'Set presence: requests a second', benchmark: 'presence-update', label: RATIO },
  { what: 'Set presence: time of one caller', benchmark: 'presence-update', label: ALONE },
  { what: 'Add an annotation: requests a second', benchmark: 'annotations-add', label: RATIO },
  { what: 'Add an annotation: time of one caller', benchmark: 'annotations-add', label: ALONE },
  { what: 'Webhooks: deliveries a second', benchmark: 'deliveries', label: 'ratio' },
  {
    what: 'Webhooks: from answer to arrival, at 100 a second',
    benchmark: 'deliveries-latency',
    label: '1 endpoint',
  },
  { what: 'Live documents: updates a second over REST', benchmark: 'crdt-update', label: RATIO },
  {
    what: 'Live documents: from a change over REST to an editor',
    benchmark: 'crdt-update-latency',
    label: 'ratio',
  },
  {
    what: 'Memory of 100 open documents of 29 KB that REST replaces',
    benchmark: 'document-memory',
    label: 'ours',
  },
  {
    what: 'Resident memory of an idle process',
    benchmark: 'start',
    label: 'idle memory, process',
  },
  { what: 'Start with an existing database', benchmark: 'start', label: 'later start' },
  {
    what: 'Installed dependencies',
    benchmark: 'install-size',
    label: 'dependencies',
    why: 'Node.js itself (190 MB) and the embedded PostgreSQL (60 MB) come with the installation. Prisma takes 270 MB: its client holds an engine for each database, and its command writes our client when packages are installed, so that 90,000 generated lines need not be committed.',
  },
  { what: 'Ten minutes of mixed load: heap', benchmark: 'soak', label: 'heap, last to first' },
  {
    what: 'Ten minutes of mixed load: resident memory',
    benchmark: 'soak',
    label: 'resident memory, last to first',
  },
];

/** Benchmarks whose findings the page lists as they are. */
export const LISTED: Record<string, string> = {
  'events-ceiling': 'Events a second',
  soak: 'Ten minutes of mixed load',
};
