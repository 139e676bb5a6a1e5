import { Badge, Stack } from '@mantine/core';
import { suggestionOf } from '../../../../client/core/suggestion.ts';
import type { CommentAnnotation } from '../../../../client/index.ts';
import { usePages } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { nameOf, Time } from '../../parts/basics.tsx';
import { type Filter, Filters, listOf } from '../../parts/filters.tsx';
import { onWide, PagedRows } from '../../parts/rows.tsx';

/** The statuses that every API key has. */
export const STATUSES = { OPEN: 'Open', IN_PROGRESS: 'In progress', RESOLVED: 'Resolved' };

const FILTERS: Filter[] = [
  { name: 'organizationId', label: 'Organization', kind: 'organization' },
  { name: 'documentId', label: 'Document', kind: 'document' },
  { name: 'userIds', label: 'Written by', kind: 'user' },
  { name: 'statusIds', label: 'Status', kind: 'list', options: STATUSES },
];

export function ThreadsTab() {
  const [{ organizationId, documentId, userIds, statusIds }] = usePageSearch();
  const isFiltered = Boolean(organizationId || documentId || userIds || statusIds);
  const input = {
    organizationId,
    documentId,
    userIds: userIds ? [userIds] : undefined,
    statusIds: statusIds ? listOf(statusIds) : undefined,
    pageSize: 100,
  };
  const list = usePages('commentAnnotations.get', input, {
    pageOf: ({ data, nextPageToken }) => {
      // Without groupByDocumentId, the response is a list. It has null for an id that does not exist.
      const threads = (data as Array<CommentAnnotation | null>).filter((each) => each !== null);
      return { data: threads, next: nextPageToken };
    },
  });
  return (
    <Stack gap="md">
      <Filters filters={FILTERS} />
      <PagedRows
        list={list}
        label="Comment threads"
        keyOf={(row) => row.annotationId}
        columns={[
          { head: 'Comment', cell: (row) => firstTextOf(row) },
          { head: 'Status', width: '9.5rem', cell: (row) => <StatusBadge thread={row} /> },
          { head: 'By', cell: (row) => nameOf(row.from), ...onWide('10rem') },
          {
            head: 'Document',
            cell: (row) => String(row.metadata.documentId ?? ''),
            ...onWide('12rem'),
          },
          { head: 'Comments', cell: (row) => row.comments.length, ...onWide('6.5rem') },
          { head: 'Changed', cell: (row) => <Time at={row.lastUpdated} />, ...onWide('7rem') },
        ]}
        opens={(row) => ({ annotation: row.annotationId })}
        isFiltered={isFiltered}
        emptyTitle="No comments yet"
        emptyText="Add one in the playground, or with commentAnnotations.add."
      />
    </Stack>
  );
}

const STATUS_LOOKS = {
  default: { sign: '○', color: 'indigo' },
  ongoing: { sign: '◐', color: 'yellow' },
  terminal: { sign: '●', color: 'teal' },
  rejected: { sign: '✕', color: 'red' },
} as const;

/** The status of a thread in words, with the sign of its type next to the colour. */
export function StatusBadge({ thread }: { thread: Pick<CommentAnnotation, 'status'> }) {
  const { name, id, type } = thread.status;
  const { sign, color } = STATUS_LOOKS[id === 'REJECTED' ? 'rejected' : type];
  return (
    <Badge color={color} leftSection={<span aria-hidden="true">{sign}</span>}>
      {name ?? id}
    </Badge>
  );
}

const firstTextOf = (thread: CommentAnnotation): string =>
  thread.comments.find(({ commentText }) => commentText)?.commentText ??
  suggestedEditOf(thread) ??
  thread.annotationId;

/** The edit that a thread suggests, in one line; undefined for any other thread. */
export const suggestedEditOf = (thread: CommentAnnotation): string | undefined =>
  suggestionOf(thread)
    ?.parts.map(({ quote, replacement }) => `“${quote}” → “${replacement}”`)
    .join(', ');
