import { Alert, Badge, Group, Stack, Text } from '@mantine/core';
import type { Activity } from '../../../../client/index.ts';
import type { OutputOf } from '../../api/client.ts';
import { usePages, useRead } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CopyText, Empty, Facts, Json, Loaded, Time, TimeNote } from '../../parts/basics.tsx';
import { exportActivities } from '../../parts/downloads.ts';
import { Filters } from '../../parts/filters.tsx';
import { Section } from '../../parts/panel.tsx';
import { onWide, PagedRows } from '../../parts/rows.tsx';
import { actorOf } from './thread-history.tsx';

type Verification = OutputOf<'activities.verify'>;

/** The activity log of an organization, and whether anybody has tampered with it. */
export function ChainTab() {
  const [{ organizationId }] = usePageSearch();
  return (
    <Stack gap="md">
      <Filters
        filters={[
          { name: 'organizationId', label: 'Organization', kind: 'organization', required: true },
        ]}
      />
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
  const verification = useRead('activities.verify', { organizationId }, { staleTime: 60_000 });
  return (
    <Stack gap="md">
      <Loaded query={verification} lines={2}>
        {(found) => (
          <>
            <Verdict {...found} />
            {found.problem && <BrokenChain organizationId={organizationId} {...found.problem} />}
          </>
        )}
      </Loaded>
      <Section
        title="Records"
        actions={
          <ActionButton
            label="Export"
            run={(call) => exportActivities(call, organizationId)}
            notice={`The activity log of ${organizationId} was downloaded.`}
          />
        }
      >
        <Records organizationId={organizationId} problem={verification.data?.problem} />
      </Section>
    </Stack>
  );
}

function Verdict({ valid, records, erased, hash }: Verification) {
  const count = `${records.toLocaleString('en')} ${records === 1 ? 'record' : 'records'}`;
  if (!valid) {
    return (
      <Alert color="red" title="The chain is broken" role="alert">
        Intact records before the break: {records.toLocaleString('en')}.
      </Alert>
    );
  }
  if (records === 0) return <Alert color="gray" title="No records yet" role="status" />;
  return (
    <Alert color="teal" title={`The chain is intact: ${count}`} role="status">
      {erased > 0 && (
        <Text>Records without content, because their users were erased: {erased}.</Text>
      )}
      <Group gap={6}>
        <Text>Latest hash, which you can store elsewhere as evidence:</Text>
        <CopyText text={hash} shown={`${hash.slice(0, 16)}…`} />
      </Group>
    </Alert>
  );
}

type Problem = NonNullable<Verification['problem']>;

const PROBLEM_TEXTS: Record<Problem['kind'], string> = {
  changed: 'was changed, or the hash that the next record stores does not match it.',
  missing: 'is missing: the next record does not follow the previous one.',
  inserted: 'was inserted: no later record follows it.',
};

type BrokenChainProps = Problem & { organizationId: string };

/** The records around the break of a chain, each with the hash that it follows. */
const BrokenChain = ({ organizationId, position, kind }: BrokenChainProps) => (
  <Section title="Where the chain breaks">
    <Loaded query={useRead('console.feedback.chain', { organizationId, position })}>
      {({ records }) => {
        const hasRecord = records.some((record) => record.position === position);
        // A missing record is shown at its position, too.
        const withMissing = hasRecord ? records : [...records, { position }];
        const shown = withMissing.toSorted((one, other) => one.position - other.position);
        return (
          <ol className="console-list" aria-label="Records around the break">
            {shown.map((record) => (
              <li
                key={record.position}
                className="console-box"
                data-broken={record.position === position || undefined}
              >
                {record.position === position && (
                  <Group gap="xs">
                    <Badge color="red">{kind}</Badge>
                    <Text fw={600}>
                      Record {position} {PROBLEM_TEXTS[kind]}
                    </Text>
                  </Group>
                )}
                {'hash' in record && <RecordLine {...record} />}
              </li>
            ))}
          </ol>
        );
      }}
    </Loaded>
  </Section>
);

type ChainRecord = OutputOf<'console.feedback.chain'>['records'][number];

const RecordLine = ({ position, actionType, userId, at, previousHash, hash }: ChainRecord) => (
  <>
    <Group justify="space-between" gap="xs">
      <Text>
        {position} · {actionType} · {userId ?? 'your server'}
      </Text>
      <TimeNote at={at} />
    </Group>
    <Text className="console-mono" c="dimmed">
      follows {previousHash.slice(0, 12)}… · hash {hash.slice(0, 12)}…
    </Text>
  </>
);

type RecordsProps = Pick<Verification, 'problem'> & { organizationId: string };

const Records = ({ organizationId, problem }: RecordsProps) => (
  <PagedRows
    list={usePages('activities.get', { organizationId, pageSize: 100 })}
    label="Records of the activity log"
    keyOf={(row) => String(row.position)}
    columns={[
      {
        head: 'Position',
        width: '10rem',
        cell: ({ position }) =>
          position === problem?.position ? (
            <Badge color="red">{`${position} ${problem.kind}`}</Badge>
          ) : (
            position.toLocaleString('en')
          ),
      },
      { head: 'Action', cell: (row) => row.actionType },
      { head: 'By', cell: (row) => actorOf(row.actionUser), ...onWide('11rem') },
      { head: 'Document', cell: (row) => row.metadata.documentId ?? '', ...onWide('12rem') },
      { head: 'When', width: '7rem', cell: (row) => <Time at={row.timestamp} /> },
    ]}
    panel={{ parameter: 'record', title: 'Record', show: detailsOf }}
    emptyTitle="No records"
    emptyText="Turn on the activity log in the settings, or add records with activities.add."
  />
);

function detailsOf(record: Activity) {
  const hash = (text: string) => <CopyText text={text} shown={`${text.slice(0, 12)}…`} />;
  return (
    <>
      <Facts
        facts={{
          Position: record.position,
          Action: record.actionType,
          When: <Time at={record.timestamp} />,
          ID: <CopyText text={record.id} />,
          Erased: record.erasedAt && <Time at={record.erasedAt} />,
          Hash: hash(record.hash),
          'Previous hash': hash(record.previousHash),
        }}
      />
      <Json value={record} label="Record as JSON" />
    </>
  );
}
