import { Badge, Button, Stack } from '@mantine/core';
import { useState } from 'react';
import type { CommentAnnotation, CommentAnnotationsGetInput } from '../../../../client/index.ts';
import { usePages } from '../../api/read.ts';
import { type PageSearch, usePageSearch } from '../../app/search.ts';
import { type Filter, Filters, listOf } from '../../parts/filters.tsx';
import { PagedRows } from '../../parts/rows.tsx';
import { Empty } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { nameOf } from './people.ts';

/** Filters have the names of the fields of `commentAnnotations.get`. */
type ThreadFilter = Filter & { name: keyof CommentAnnotationsGetInput };

/** The statuses that every API key has. */
export const STATUSES = [
  { value: 'OPEN', label: 'Open' },
  { value: 'IN_PROGRESS', label: 'In progress' },
  { value: 'RESOLVED', label: 'Resolved' },
];

/** The filters above the list. */
const MAIN: ThreadFilter[] = [
  { name: 'organizationId', label: 'Organization', kind: 'organization' },
  { name: 'documentId', label: 'Document', kind: 'document' },
  { name: 'userIds', label: 'Written by', kind: 'user' },
  { name: 'statusIds', label: 'Status', kind: 'list', options: STATUSES },
];

/** The filters that are seldom needed. */
const MORE: ThreadFilter[] = [
  { name: 'folderId', label: 'Folder', kind: 'folder' },
  { name: 'mentionedUserIds', label: 'Mentions', kind: 'user' },
  { name: 'resolvedBy', label: 'Resolved by', kind: 'user' },
  { name: 'createdAfter', label: 'Created after', kind: 'date' },
  { name: 'createdBefore', label: 'Created before', kind: 'date' },
  { name: 'updatedAfter', label: 'Changed after', kind: 'date' },
  { name: 'updatedBefore', label: 'Changed before', kind: 'date' },
  { name: 'agentId', label: 'Agent' },
  {
    name: 'order',
    label: 'Order by last change',
    options: [
      { value: 'desc', label: 'Newest first' },
      { value: 'asc', label: 'Oldest first' },
    ],
  },
];

const ALL = [...MAIN, ...MORE];
const NONE: PageSearch = Object.fromEntries(ALL.map(({ name }) => [name, undefined]));
/** Fields that take several people, of whom the filter chooses one. */
const LISTS = new Set(['userIds', 'mentionedUserIds']);

/** The input of the operation, read from the address of the page. */
function inputOf(search: PageSearch): CommentAnnotationsGetInput {
  const entries = ALL.flatMap(({ name, kind }): Array<[string, unknown]> => {
    const text = search[name];
    if (!text) return [];
    if (kind === 'list' || LISTS.has(name)) return [[name, listOf(text)]];
    if (kind !== 'date') return [[name, text]];
    // A day begins when it does where the person is.
    const at = new Date(`${text}T00:00`).getTime();
    return Number.isNaN(at) ? [] : [[name, at]];
  });
  return Object.fromEntries(entries) as CommentAnnotationsGetInput;
}

/** All comment threads that the filters find. */
export function ThreadsTab() {
  const [search, change] = usePageSearch();
  const input = inputOf(search);
  const moreCount = MORE.filter(({ name }) => search[name]).length;
  const [isMore, setMore] = useState(moreCount > 0);
  const isFiltered = Object.keys(input).length > 0;
  const list = usePages(
    'commentAnnotations.get',
    { ...input, pageSize: 100 },
    {
      pageOf: ({ data, nextPageToken }) => {
        // Without groupByDocumentId it is a list, which has gaps for ids that do not exist.
        const found = (data as Array<CommentAnnotation | null>).filter((each) => each !== null);
        return { data: found, next: nextPageToken };
      },
    },
  );
  return (
    <Stack gap="md">
      <Filters filters={isMore ? ALL : MAIN}>
        <Button
          size="compact-sm"
          variant="default"
          aria-expanded={isMore}
          onClick={() => setMore(!isMore)}
        >
          {isMore ? 'Fewer filters' : `More filters${moreCount ? ` (${moreCount} set)` : ''}`}
        </Button>
        {isFiltered && (
          <Button size="compact-sm" variant="subtle" onClick={() => change(NONE)}>
            Clear all filters
          </Button>
        )}
      </Filters>
      <PagedRows
        list={list}
        label="Comment threads"
        keyOf={(row) => row.annotationId}
        columns={[
          { head: 'Comment', cell: (row) => firstTextOf(row) },
          { head: 'Status', width: '9.5rem', cell: (row) => <StatusBadge thread={row} /> },
          { head: 'By', width: '10rem', onPhones: false, cell: (row) => nameOf(row.from) },
          {
            head: 'Document',
            width: '12rem',
            onPhones: false,
            cell: (row) => String(row.metadata.documentId ?? ''),
          },
          {
            head: 'Comments',
            width: '6.5rem',
            onPhones: false,
            cell: (row) => row.comments.length,
          },
          {
            head: 'Changed',
            width: '7rem',
            onPhones: false,
            cell: (row) => <Time at={row.lastUpdated} />,
          },
        ]}
        opens={(row) => ({ annotation: row.annotationId })}
        empty={
          isFiltered ? (
            <Empty title="No threads found">Remove a filter, or choose another organization.</Empty>
          ) : (
            <Empty title="No comments yet">
              Add one in the playground, or with commentAnnotations.add.
            </Empty>
          )
        }
      />
    </Stack>
  );
}

const LOOKS = {
  default: { sign: '○', color: 'indigo' },
  ongoing: { sign: '◐', color: 'yellow' },
  terminal: { sign: '●', color: 'teal' },
  rejected: { sign: '✕', color: 'red' },
} as const;

/** The status of a thread in words, with the sign of its kind beside the colour. */
export function StatusBadge({ thread }: { thread: Pick<CommentAnnotation, 'status'> }) {
  const { name, id, type } = thread.status;
  const { sign, color } = LOOKS[id === 'REJECTED' ? 'rejected' : type];
  return (
    <Badge color={color} leftSection={<span aria-hidden="true">{sign}</span>}>
      {name ?? id}
    </Badge>
  );
}

const firstTextOf = ({ comments, annotationId }: CommentAnnotation): string =>
  comments.find(({ commentText }) => commentText)?.commentText ?? annotationId;
