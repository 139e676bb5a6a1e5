import { Badge, Group, Text } from '@mantine/core';
import type { OutputOf } from '../../api/client.ts';
import { useRead } from '../../api/read.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/panel.tsx';
import { Note } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';

type Problem = NonNullable<OutputOf<'activities.verify'>['problem']>;

const WHAT: Record<Problem['kind'], string> = {
  changed: 'was changed: its content does not match its hash.',
  missing: 'is missing: the next record does not follow the previous one.',
  inserted: 'was inserted: no later record follows it.',
};

interface BrokenChainProps {
  organizationId: string;
  problem: Problem;
}

/** The records around the break of a chain, each with the hash that it follows. */
export function BrokenChain({ organizationId, problem }: BrokenChainProps) {
  const { position, kind } = problem;
  const around = useRead('console.feedback.chain', { organizationId, position });
  return (
    <Section title="Where it breaks">
      <Loaded query={around}>
        {({ records }) => {
          const isThere = records.some((record) => record.position === position);
          const at = records.filter((record) => record.position < position).length;
          // A record that is missing has a place, too.
          const shown = isThere
            ? records
            : [...records.slice(0, at), { position }, ...records.slice(at)];
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
                        Record {position} {WHAT[kind]}
                      </Text>
                    </Group>
                  )}
                  {'hash' in record && <Link record={record} />}
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

function Link({ record }: { record: ChainRecord }) {
  const { position, actionType, userId, at, previousHash, hash } = record;
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {position} · {actionType} · {userId ?? 'your server'}
        </Text>
        <Note size="xs">
          <Time at={at} />
        </Note>
      </Group>
      <Text className="console-mono" c="dimmed">
        follows {previousHash.slice(0, 12)}… · hash {hash.slice(0, 12)}…
      </Text>
    </>
  );
}
