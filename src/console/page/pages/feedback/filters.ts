import type { CommentAnnotationsGetInput } from '../../../../client/index.ts';
import type { PageSearch } from '../../app/page-search.ts';

export interface Filter {
  /** The name in the page's address, and of the operation's field. */
  name: keyof CommentAnnotationsGetInput & string;
  label: string;
  kind: 'organization' | 'folder' | 'document' | 'user' | 'text' | 'list' | 'date' | 'switch';
  options?: Array<{ value: string; label: string }>;
  about?: string;
}

/** Those that stand above the list. */
export const MAIN_FILTERS: Filter[] = [
  { name: 'organizationId', label: 'Organization', kind: 'organization' },
  { name: 'documentId', label: 'Document', kind: 'document' },
  { name: 'userIds', label: 'Written by', kind: 'user' },
  {
    name: 'statusIds',
    label: 'Status',
    kind: 'list',
    options: [
      { value: 'OPEN', label: 'Open' },
      { value: 'IN_PROGRESS', label: 'In progress' },
      { value: 'RESOLVED', label: 'Resolved' },
    ],
  },
];

const named = (...values: string[]) => values.map((value) => ({ value, label: value }));

/** Those that are seldom needed. */
export const MORE_FILTERS: Filter[] = [
  { name: 'documentIds', label: 'Documents', kind: 'list' },
  { name: 'folderId', label: 'Folder', kind: 'folder' },
  { name: 'annotationIds', label: 'Threads', kind: 'list' },
  { name: 'locationIds', label: 'Locations', kind: 'list' },
  { name: 'mentionedUserIds', label: 'Mentions', kind: 'user' },
  { name: 'resolvedBy', label: 'Resolved by', kind: 'user' },
  { name: 'createdAfter', label: 'Created after', kind: 'date' },
  { name: 'createdBefore', label: 'Created before', kind: 'date' },
  { name: 'updatedAfter', label: 'Changed after', kind: 'date' },
  { name: 'updatedBefore', label: 'Changed before', kind: 'date' },
  { name: 'agentId', label: 'Agent', kind: 'text' },
  { name: 'executionId', label: 'Run of an agent', kind: 'text' },
  {
    name: 'agentType',
    label: 'Kind of agent',
    kind: 'text',
    options: named('built-in', 'custom', 'external'),
  },
  {
    name: 'agentSource',
    label: 'Source of agent',
    kind: 'text',
    options: named('internal', 'external'),
  },
  { name: 'agentSuggestions', label: 'Suggestions of agents', kind: 'switch' },
  { name: 'agentComments', label: 'Comments of agents', kind: 'switch' },
  {
    name: 'order',
    label: 'Order by last change',
    kind: 'text',
    options: [
      { value: 'desc', label: 'Newest first' },
      { value: 'asc', label: 'Oldest first' },
    ],
  },
];

export const ALL_FILTERS = [...MAIN_FILTERS, ...MORE_FILTERS];

/** Lists of ids stand in the address with commas between them. */
export const listOf = (text: string | undefined): string[] =>
  (text ?? '').split(',').filter((each) => each !== '');

const LISTS = new Set(['userIds', 'mentionedUserIds']);

/** The input of the operation, read from the address of the page. */
export function inputOf(search: PageSearch): CommentAnnotationsGetInput {
  const entries = ALL_FILTERS.flatMap(({ name, kind }): Array<[string, unknown]> => {
    const text = search[name];
    if (!text) return [];
    if (kind === 'list' || LISTS.has(name)) return [[name, listOf(text)]];
    if (kind === 'switch') return [[name, true]];
    if (kind !== 'date') return [[name, text]];
    // A day begins when it does where the person is.
    const at = new Date(`${text}T00:00`).getTime();
    return Number.isNaN(at) ? [] : [[name, at]];
  });
  return Object.fromEntries(entries) as CommentAnnotationsGetInput;
}
