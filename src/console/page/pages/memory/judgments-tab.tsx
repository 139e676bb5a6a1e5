import { Stack } from '@mantine/core';
import { usePages } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { type Filter, Filters } from '../../parts/filters.tsx';
import { RowPanel } from '../../parts/panel.tsx';
import { PagedRows } from '../../parts/rows.tsx';
import { Empty } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { DecisionBadge, JudgmentItem } from './judgment-item.tsx';

const FILTERS: Filter[] = [
  { name: 'organizationId', label: 'Organization', kind: 'organization' },
  { name: 'reviewer', label: 'Reviewer', kind: 'user' },
  {
    name: 'decision',
    label: 'Decision',
    options: ['approved', 'rejected', 'agree', 'disagree', 'endorse'],
  },
  {
    name: 'judge',
    label: 'Decided by',
    placeholder: 'Anybody',
    options: [
      { value: 'human', label: 'People' },
      { value: 'agent', label: 'Agents' },
    ],
  },
];

/** All judgments, the newest first. */
export function JudgmentsTab() {
  const [{ organizationId, reviewer, decision, judge }] = usePageSearch();
  const input = {
    ...(organizationId && { organizationId }),
    ...(reviewer && { reviewerId: reviewer }),
    ...(decision && { decision }),
    ...((judge === 'human' || judge === 'agent') && { judgeType: judge as 'human' | 'agent' }),
    limit: 100,
  };
  const list = usePages('memory.judgments.query', input, {
    pageOf: ({ data, nextPageToken }) => ({ data: data.results, next: nextPageToken }),
  });
  return (
    <Stack gap="md">
      <Filters filters={FILTERS} />
      <PagedRows
        list={list}
        label="Judgments"
        keyOf={(row) => row.recordId}
        columns={[
          { head: 'Item', cell: (row) => row.query },
          {
            head: 'Decision',
            width: '9rem',
            cell: (row) => <DecisionBadge decision={row.decision} />,
          },
          {
            head: 'By',
            width: '11rem',
            onPhones: false,
            cell: ({ reviewer: who }) => who?.name ?? who?.userId ?? '',
          },
          {
            head: 'When',
            width: '7rem',
            onPhones: false,
            cell: (row) => <Time at={row.createdAt} />,
          },
        ]}
        opens={(row) => ({ judgment: row.recordId })}
        empty={
          <Empty title="No judgments found">
            Approvals and rejections of comments are recorded automatically. Your server can add
            more with memory.judgments.add.
          </Empty>
        }
      />
      <RowPanel of="judgment" title="Judgment" query={list.query} idOf={({ recordId }) => recordId}>
        {(judgment) => <JudgmentItem judgment={judgment} />}
      </RowPanel>
    </Stack>
  );
}
