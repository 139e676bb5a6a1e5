import { Select, Stack } from '@mantine/core';
import { useKey } from '../../api/key.ts';
import { usePages } from '../../api/use-pages.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { Empty } from '../../parts/empty.tsx';
import { EntryPicker } from '../../parts/entry-picker.tsx';
import { PagedRows } from '../../parts/paged-rows.tsx';
import { SidePanel } from '../../parts/side-panel.tsx';
import { Time } from '../../parts/time.tsx';
import { DecisionBadge, JudgmentItem } from './judgment-item.tsx';

const DECISIONS = ['approved', 'rejected', 'agree', 'disagree', 'endorse'];

/** All judgments, the newest first. */
export function JudgmentsTab() {
  const { apiKey, client } = useKey();
  const [{ organizationId, reviewer, decision, judge, judgment }, change] = usePageSearch();
  const input = {
    ...(organizationId && { organizationId }),
    ...(reviewer && { reviewerId: reviewer }),
    ...(decision && { decision }),
    ...((judge === 'human' || judge === 'agent') && { judgeType: judge as 'human' | 'agent' }),
  };
  const list = usePages(['memory', apiKey, 'list', input], async (page, options) => {
    const answer = await client.memory.judgments.query({ ...input, limit: 100, ...page }, options);
    return { data: answer.data.results, nextPageToken: answer.nextPageToken };
  });
  const opened = list.rows.find(({ recordId }) => recordId === judgment);
  return (
    <Stack gap="md">
      <div className="memory-filters">
        <EntryPicker
          kind="organization"
          label="Organization"
          value={organizationId ?? ''}
          onChange={(id) => change({ organizationId: id })}
        />
        <EntryPicker
          kind="user"
          label="Reviewer"
          organizationId={organizationId}
          value={reviewer ?? ''}
          onChange={(id) => change({ reviewer: id })}
        />
        <Select
          label="Decision"
          data={DECISIONS}
          placeholder="Any"
          value={decision ?? null}
          onChange={(value) => change({ decision: value ?? '' })}
          clearable
        />
        <Select
          label="Decided by"
          data={[
            { value: 'human', label: 'People' },
            { value: 'agent', label: 'Agents' },
          ]}
          placeholder="Anybody"
          value={judge ?? null}
          onChange={(value) => change({ judge: value ?? '' })}
          clearable
        />
        <CopyCurl operation="memory.judgments.query" input={input} />
      </div>
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
        isOpen={(row) => row.recordId === judgment}
        empty={
          <Empty title="No judgments found">
            Approvals and rejections of comments are recorded automatically. Your server can add
            more with memory.judgments.add.
          </Empty>
        }
      />
      <SidePanel
        title="Judgment"
        isOpen={judgment !== undefined && list.query.data !== undefined}
        onClose={() => change({ judgment: undefined })}
      >
        {opened ? (
          <JudgmentItem
            judgment={{
              ...opened,
              reviewerId: opened.reviewer?.userId,
              reviewerName: opened.reviewer?.name,
            }}
          />
        ) : (
          <Empty title="Judgment not found">
            It was deleted, or it is further down the list: scroll to load more.
          </Empty>
        )}
      </SidePanel>
    </Stack>
  );
}
