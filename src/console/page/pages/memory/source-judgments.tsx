import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { JudgmentItem } from './judgment-item.tsx';

const MAX_SHOWN = 100;

/** The judgments that an alert names. Some may have been erased since. */
export function SourceJudgments({ recordIds }: { recordIds: string[] }) {
  const { apiKey, own } = useKey();
  const shown = recordIds.slice(0, MAX_SHOWN);
  const judgments = useQuery({
    queryKey: ['memory', apiKey, 'judgments', shown],
    queryFn: async ({ signal }) => {
      const answer = await own.memory.judgments.query({ recordIds: shown }, { signal });
      return answer.judgments;
    },
  });
  return (
    <Loaded query={judgments}>
      {(found) =>
        found.length === 0 ? (
          <Empty title="Not found">These judgments were deleted or erased.</Empty>
        ) : (
          <Stack gap="xs">
            {found.map((judgment) => (
              <JudgmentItem key={judgment.recordId} judgment={judgment} />
            ))}
          </Stack>
        )
      }
    </Loaded>
  );
}
