import { Stack } from '@mantine/core';
import { usePages } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { Loaded, nameOf, Time } from '../../parts/basics.tsx';
import { type Filter, Filters } from '../../parts/filters.tsx';
import { onWide, PagedRows } from '../../parts/rows.tsx';
import { DecisionBadge, JudgmentItem } from './judgment-item.tsx';
import { RateChart, useRates } from './rates.tsx';

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
    options: { human: 'People', agent: 'Agents' },
  },
];

/** How many days the chart of approvals shows. */
const DAYS = 90;

/** All judgments, newest first, and a chart of approvals and rejections over time. */
export function JudgmentsTab() {
  const [{ organizationId, reviewer, decision, judge }] = usePageSearch();
  const scope = { organizationId, reviewerId: reviewer };
  const judgeType = judge === 'human' || judge === 'agent' ? judge : undefined;
  const input = { ...scope, decision, judgeType, limit: 100 } as const;
  const list = usePages('memory.judgments.query', input, {
    pageOf: ({ data, nextPageToken }) => ({ data: data.results, next: nextPageToken }),
  });
  return (
    <Stack gap="md">
      <Filters filters={FILTERS} />
      <Loaded query={useRates({ ...scope, days: DAYS })} lines={6}>
        {(counts) => <RateChart counts={counts} title={`Decisions in the last ${DAYS} days`} />}
      </Loaded>
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
          { head: 'By', cell: ({ reviewer: who }) => (who ? nameOf(who) : ''), ...onWide('11rem') },
          { head: 'When', cell: (row) => <Time at={row.createdAt} />, ...onWide('7rem') },
        ]}
        panel={{
          parameter: 'judgment',
          title: 'Judgment',
          show: (judgment) => <JudgmentItem judgment={judgment} />,
        }}
        emptyTitle="No judgments found"
        emptyText="Approvals and rejections of comments appear here, and judgments added with memory.judgments.add."
      />
    </Stack>
  );
}
