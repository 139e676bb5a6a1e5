import { Alert, Badge, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ActivitiesVerifyOutput } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
import { usePages } from '../../api/use-pages.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Empty } from '../../parts/empty.tsx';
import { EntryPicker } from '../../parts/entry-picker.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PagedRows } from '../../parts/paged-rows.tsx';
import { Time } from '../../parts/time.tsx';
import { ActivityPanel } from './activity-panel.tsx';
import { BrokenChain } from './broken-chain.tsx';
import { nameOf } from './people.ts';

/** The activity log of an organization, and whether anybody has changed it. */
export function ChainTab() {
  const [{ organizationId = '' }, change] = usePageSearch();
  return (
    <Stack gap="md">
      <div className="feedback-filters">
        <EntryPicker
          kind="organization"
          label="Organization"
          value={organizationId}
          onChange={(id) => change({ organizationId: id })}
          required
        />
      </div>
      {organizationId ? (
        <Chain key={organizationId} organizationId={organizationId} />
      ) : (
        <Empty title="Choose an organization">
          The records of an activity log are chained by hashes, so that tampering can be detected.
          Choose an organization to verify its chain.
        </Empty>
      )}
    </Stack>
  );
}

function Chain({ organizationId }: { organizationId: string }) {
  const { apiKey, client } = useKey();
  const verification = useQuery({
    queryKey: ['feedback', apiKey, 'verification', organizationId],
    queryFn: ({ signal }) => client.activities.verify({ organizationId }, { signal }),
    staleTime: 60_000,
  });
  return (
    <Stack gap="md">
      <Loaded query={verification} lines={2}>
        {(found) => (
          <>
            <Verdict found={found} />
            <Group>
              <CopyCurl operation="activities.verify" input={{ organizationId }} />
            </Group>
            {found.problem && (
              <BrokenChain organizationId={organizationId} problem={found.problem} />
            )}
          </>
        )}
      </Loaded>
      <Group justify="space-between">
        <Title order={2} size="h4">
          Records
        </Title>
        <CopyCurl operation="activities.get" input={{ organizationId }} />
      </Group>
      <Records organizationId={organizationId} problem={verification.data?.problem} />
    </Stack>
  );
}

function Verdict({ found: { valid, records, erased, hash } }: { found: ActivitiesVerifyOutput }) {
  const count = `${records.toLocaleString('en')} ${records === 1 ? 'record' : 'records'}`;
  if (!valid) {
    return (
      <Alert color="red" title="The chain is broken" role="alert">
        {count} before the break are intact.
      </Alert>
    );
  }
  if (records === 0) {
    return <Alert color="gray" title="No records yet" role="status" />;
  }
  return (
    <Alert color="teal" title={`The chain is intact: ${count}`} role="status">
      {erased > 0 && (
        <Text size="sm">{erased} of them have no content, because the people were erased.</Text>
      )}
      <Group gap={6}>
        <Text size="sm">Latest hash, to store elsewhere:</Text>
        <CopyText text={hash} shown={`${hash.slice(0, 16)}…`} />
      </Group>
    </Alert>
  );
}

interface RecordsProps {
  organizationId: string;
  problem: ActivitiesVerifyOutput['problem'];
}

function Records({ organizationId, problem }: RecordsProps) {
  const { apiKey, client } = useKey();
  const [{ record }, change] = usePageSearch();
  const list = usePages(['feedback', apiKey, 'activities', organizationId], (page, options) =>
    client.activities.get({ organizationId, pageSize: 100, ...page }, options),
  );
  return (
    <>
      <PagedRows
        list={list}
        label="Records of the activity log"
        keyOf={(row) => String(row.position)}
        columns={[
          {
            head: 'Position',
            width: '10rem',
            cell: ({ position }) =>
              position === problem?.position ? (
                <Badge color="red" tt="none">{`${position} ${problem.kind}`}</Badge>
              ) : (
                position.toLocaleString('en')
              ),
          },
          { head: 'Action', cell: (row) => row.actionType },
          {
            head: 'By',
            width: '11rem',
            onPhones: false,
            cell: ({ actionUser }) =>
              actionUser ? nameOf(actionUser as { userId: string; name?: string }) : 'a server',
          },
          {
            head: 'Document',
            width: '12rem',
            onPhones: false,
            cell: (row) => row.metadata.documentId ?? '',
          },
          { head: 'When', width: '7rem', cell: (row) => <Time at={row.timestamp} /> },
        ]}
        opens={(row) => ({ record: String(row.position) })}
        isOpen={(row) => String(row.position) === record}
        empty={
          <Empty title="No records">
            Turn on the activity log in the settings, or add records with activities.add.
          </Empty>
        }
      />
      <ActivityPanel
        found={list.rows.find(({ position }) => String(position) === record)}
        isOpen={record !== undefined && list.rows.length > 0}
        onClose={() => change({ record: undefined })}
      />
    </>
  );
}
