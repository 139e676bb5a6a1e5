/** The kinds of resources, in the order in which they are imported. */
const KINDS = [
  'organizations',
  'folders',
  'users',
  'documents',
  'permissions',
  'annotations',
  'comments',
  'reactions',
  'subscriptions',
  'notifications',
  'notification settings',
  'recordings',
  'files',
  'activities',
  'contents',
  'judgments',
] as const;
export type Kind = (typeof KINDS)[number];

export interface Counts {
  /** Read from the hosted service. */
  found: number;
  imported: number;
  /** Existed before, for example after an earlier run. */
  existing: number;
  refused: number;
}

interface Refusal {
  kind: Kind;
  id: string;
  reason: string;
}

export interface Report {
  counts: Partial<Record<Kind, Counts>>;
  /** The first refusals; `counts` has their number. */
  refusals: Refusal[];
  /** How often data was found that cannot be imported, by its name. */
  left: Record<string, number>;
}

/** Data that the hosted service does not return, or returns in a form that cannot be imported. */
const NEVER_IMPORTED = [
  'User groups and their members: the hosted service has no operation that lists them.',
  'Read marks of notifications and threads: they begin as unread.',
  'Numbers of annotations: they get new numbers.',
];

export function reportText({ counts, refusals, left }: Report): string {
  const header = ['', 'found', 'imported', 'already there', 'refused'];
  const rows = KINDS.flatMap((kind) => {
    if (!counts[kind]) return [];
    const { found, imported, existing, refused } = counts[kind];
    return [[kind, found, imported, existing, refused].map(String)];
  });
  const table = [header, ...rows].map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(22) : cell.padStart(14))).join(''),
  );
  return [
    ...table,
    '\nWithout a counterpart:',
    ...NEVER_IMPORTED.map((line) => `  ${line}`),
    ...Object.entries(left).map(([name, number]) => `  ${name}: ${number}`),
    ...(refusals.length > 0 ? ['\nRefused:'] : []),
    ...refusals.map(({ kind, id, reason }) => `  ${kind} ${id}: ${reason}`),
  ].join('\n');
}
