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
  {
    what: 'Read one setting: requests a second',
    benchmark: 'settings-get',
    label: RATIO,
    why: 'The rest is many small parts for each request, none above 4 % of the processor time: permits and limits, the log line, metrics, headers, the checks of names, inputs and answers, and the tRPC call. Together they cost more than the lookup of credentials that is saved.',
  },
  { what: 'Read one setting: time of one caller', benchmark: 'settings-get', label: ALONE },
  {
    what: 'Read 30 documents by id: requests a second',
    benchmark: 'documents-get',
    label: RATIO,
    why: 'The same small parts as for one setting, and the validation and the copy of each answer, for which garbage collection takes a tenth of the processor time.',
  },
  { what: 'Read 30 documents by id: time of one caller', benchmark: 'documents-get', label: ALONE },
  {
    what: 'Read 50 annotations: requests a second',
    benchmark: 'annotations-get',
    label: RATIO,
    why: 'Each answer is weighed, validated and copied before it is serialized, so that no column leaks and no long answer blocks others: about a tenth of the processor time, and garbage collection takes another tenth.',
  },
  { what: 'Read 50 annotations: time of one caller', benchmark: 'annotations-get', label: ALONE },
  {
    what: 'Set presence: requests a second',
    benchmark: 'presence-update',
    label: RATIO,
    why: 'One key may hold half of the connections, so five changes share a flush of the write-ahead log where the baseline has ten; and moving the events into the log takes further transactions, which the baseline does without.',
  },
  {
    what: 'Set presence: time of one caller',
    benchmark: 'presence-update',
    label: ALONE,
    why: 'The transaction that moves the event into the log competes with the next change for two processors, and the statement also locks and compares the presence before the change.',
  },
  {
    what: 'Add an annotation: requests a second',
    benchmark: 'annotations-add',
    label: RATIO,
    why: 'A round trip of its own checks the document, ids and users and takes the number before the rows are written, where the baseline checks nothing; one key may hold half of the connections; and the events are moved into the log afterwards.',
  },
  {
    what: 'Add an annotation: time of one caller',
    benchmark: 'annotations-add',
    label: ALONE,
    why: 'The checks of document, ids, numbers and users are a round trip of their own, which the baseline does without.',
  },
  { what: 'Webhooks: deliveries a second', benchmark: 'deliveries', label: 'ratio' },
  {
    what: 'Webhooks: from answer to arrival, at 100 a second',
    benchmark: 'deliveries-latency',
    label: '1 endpoint',
  },
  {
    what: 'Live documents: updates a second over REST',
    benchmark: 'crdt-update',
    label: RATIO,
    why: 'The other side checks no credentials and stores nothing. An update takes 1.1 ms of processor time here and 0.6 ms there. By a profile, a fifth of it finds the change on a copy and applies it to the document, a tenth writes to PostgreSQL, and most of the rest is HTTP, validation and limits. PostgreSQL shares the cores, and each commit waits for the disk.',
  },
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
