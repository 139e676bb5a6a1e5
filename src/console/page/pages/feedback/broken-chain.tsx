import { Badge, Group, Text } from '@mantine/core';
import type { OutputOf } from '../../api/client.ts';
import { useRead } from '../../api/read.ts';
import { Loaded, TimeNote } from '../../parts/basics.tsx';
import { Section } from '../../parts/panel.tsx';

type Problem = NonNullable<OutputOf<'activities.verify'>['problem']>;

const PROBLEM_TEXTS: Record<Problem['kind'], string> = {
  changed: 'was changed: its content does not match its hash.',
  missing: 'is missing: the next record does not follow the previous one.',
  inserted: 'was inserted: no later record follows it.',
};

type BrokenChainProps = Problem & { organizationId: string };

/** The records around the break of a chain, each with the hash that it follows. */
export function BrokenChain({ organizationId, position, kind }: BrokenChainProps) {
  const around = useRead('console.feedback.chain', { organizationId, position });
  return (
    <Section title="Where the chain breaks">
      <Loaded query={around}>
        {({ records }) => {
          const isThere = records.some((record) => record.position === position);
          // A missing record is shown at its place, too.
          const all = isThere ? records : [...records, { position }];
          const shown = all.toSorted((one, other) => one.position - other.position);
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
                      <Text size="sm" fw={600}>
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
}

type ChainRecord = OutputOf<'console.feedback.chain'>['records'][number];

function RecordLine({ position, actionType, userId, at, previousHash, hash }: ChainRecord) {
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {position} · {actionType} · {userId ?? 'your server'}
        </Text>
        <TimeNote at={at} />
      </Group>
      <Text className="console-mono" c="dimmed">
        follows {previousHash.slice(0, 12)}… · hash {hash.slice(0, 12)}…
      </Text>
    </>
  );
}
