import { Badge, Button, Collapse, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import type { CommentAnnotation } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
import { usePages } from '../../api/use-pages.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { Empty } from '../../parts/empty.tsx';
import { PagedRows } from '../../parts/paged-rows.tsx';
import { Time } from '../../parts/time.tsx';
import { FilterField } from './filter-field.tsx';
import { ALL_FILTERS, inputOf, MAIN_FILTERS, MORE_FILTERS } from './filters.ts';
import { nameOf } from './people.ts';

/** All comment threads that the filters find. */
export function ThreadsTab() {
  const { apiKey, client } = useKey();
  const [search, change] = usePageSearch();
  const input = inputOf(search);
  const moreCount = MORE_FILTERS.filter(({ name }) => search[name]).length;
  const [isMore, setMore] = useState(moreCount > 0);
  const isFiltered = Object.keys(input).length > 0;
  const list = usePages(['feedback', apiKey, 'threads', input], async (page, options) => {
    const { data, nextPageToken } = await client.commentAnnotations.get(
      { ...input, pageSize: 100, ...page },
      options,
    );
    // Without groupByDocumentId it is a list, which has gaps for ids that do not exist.
    const found = (data as Array<CommentAnnotation | null>).filter((each) => each !== null);
    return { data: found, nextPageToken };
  });
  const clear = () => change(Object.fromEntries(ALL_FILTERS.map(({ name }) => [name, undefined])));
  return (
    <Stack gap="md">
      <div className="feedback-filters">
        {MAIN_FILTERS.map((filter) => (
          <FilterField key={filter.name} filter={filter} />
        ))}
      </div>
      <Collapse expanded={isMore}>
        <div className="feedback-filters">
          {isMore &&
            MORE_FILTERS.map((filter) => <FilterField key={filter.name} filter={filter} />)}
        </div>
      </Collapse>
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="default"
          aria-expanded={isMore}
          onClick={() => setMore(!isMore)}
        >
          {isMore ? 'Fewer filters' : `More filters${moreCount ? ` (${moreCount} set)` : ''}`}
        </Button>
        {isFiltered && (
          <Button size="compact-sm" variant="subtle" onClick={clear}>
            Clear all filters
          </Button>
        )}
        <CopyCurl operation="commentAnnotations.get" input={input} />
      </Group>
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
        isOpen={(row) => row.annotationId === search.annotation}
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
    <Badge color={color} tt="none" leftSection={<span aria-hidden="true">{sign}</span>}>
      {name ?? id}
    </Badge>
  );
}

/** The fields of a thread that the list shows. */
const firstTextOf = ({ comments, annotationId }: CommentAnnotation): string =>
  comments.find(({ commentText }) => commentText)?.commentText ?? annotationId;
