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

/** What operations do, and why they miss the ratio of requests a second, and that of one caller's time. */
const OPERATIONS: Array<[benchmark: string, what: string, ratio: string, oneCaller: string]> = [
  [
    'settings-get',
    'Read one setting',
    'The rest is many small parts for each request, none above 4 % of the processor time: permits and limits, the log line, metrics, headers, the checks of names and inputs, and the tRPC call. Together they cost more than the lookup of credentials that is saved.',
    'The same small parts take as long as the lookup of credentials that is saved, and more on some machines.',
  ],
  [
    'documents-get',
    'Read 30 documents by id',
    'The same small parts as for one setting.',
    'The same small parts, which one caller waits for.',
  ],
  [
    'annotations-get',
    'Read 50 annotations',
    'Each answer is weighed before it is serialized, so that no long one delays others: 4 % of the processor time. The small parts of each request take the rest.',
    'The answer is weighed, as above.',
  ],
  [
    'presence-update',
    'Set presence',
    'A change takes about twice the processor time of the baseline: the small parts of each request, and a statement that also locks and compares the presence before the change. PostgreSQL needs 0.27 ms for it and 0.05 ms for that of the baseline. Its event is written twice, to the outbox and, by a transaction of its own, to the log; the baseline writes it once. A third of the processor time of our process goes into writes to sockets, as in the baseline; nothing else takes more than 6 %. Letting waiting callers share one statement brings a tenth more requests, for a queue of calls.',
    'The transaction that moves the event into the log competes with the next change for two processors, and the statement also locks and compares the presence before the change.',
  ],
  [
    'annotations-add',
    'Add an annotation',
    'Ten statements in two round trips check the document, ids and users, take the number and write the rows, where the baseline checks nothing and sends one statement. They take four to five times its processor time in our process, half of it in system calls of the second round trip and of the transaction that moves the event into the log. To send all writes as one statement saves 4 %.',
    'The checks of document, ids, numbers and users are a round trip of their own, and the transaction that moves the event into the log waits for the same disk as the next call. The baseline does without both.',
  ],
];

/** Ratios are to the same work written by hand, in the same run. */
export const GOALS: Goal[] = [
  ...OPERATIONS.flatMap(([benchmark, what, ratio, oneCaller]) => [
    { what: `${what}: requests a second`, benchmark, label: RATIO, why: ratio },
    {
      ...{ what: `${what}: time of one caller`, benchmark },
      ...{ label: 'one caller, ratio of medians', why: oneCaller },
    },
  ]),
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
    why: 'The other side checks no credentials and stores nothing. An update takes 1.1 ms of processor time here and 0.6 ms there. By a profile, a third of it finds the change in the open document and makes it, a tenth writes to PostgreSQL, and most of the rest is HTTP, validation and limits. PostgreSQL shares the cores, and each commit waits for the disk.',
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
    why: 'Node.js itself (121 MB) and the embedded PostgreSQL (58 MB) come with the installation. What builds the database client, the console and the documentation stays out of it.',
  },
  { what: 'Ten minutes of mixed load: heap', benchmark: 'soak', label: 'heap, last to first' },
  {
    what: 'Ten minutes of mixed load: resident memory',
    benchmark: 'soak',
    label: 'resident memory, last to first',
  },
];
