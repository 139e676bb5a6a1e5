import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ActivitiesVerifyOutput } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';

type Problem = NonNullable<ActivitiesVerifyOutput['problem']>;

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
  const { apiKey, own } = useKey();
  const { position, kind } = problem;
  const around = useQuery({
    queryKey: ['feedback', apiKey, 'chain', organizationId, position],
    queryFn: async ({ signal }) =>
      (await own.feedback.chain.query({ organizationId, position }, { signal })).records,
  });
  const gap = (
    <li key="gap" className="feedback-link" data-broken>
      <Break position={position} kind={kind} />
    </li>
  );
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Where it breaks
      </Title>
      <Loaded query={around}>
        {(records) => {
          const isThere = records.some((record) => record.position === position);
          const before = records.filter((record) => record.position < position);
          const after = records.filter((record) => record.position >= position);
          return (
            <ol className="feedback-steps" aria-label="Records around the break">
              {before.map((record) => (
                <Link key={record.position} record={record} />
              ))}
              {!isThere && gap}
              {after.map((record) => (
                <Link
                  key={record.position}
                  record={record}
                  problem={record.position === position ? problem : undefined}
                />
              ))}
            </ol>
          );
        }}
      </Loaded>
    </Stack>
  );
}

const Break = ({ position, kind }: Pick<Problem, 'position' | 'kind'>) => (
  <Group gap="xs">
    <Badge color="red" tt="none">
      {kind}
    </Badge>
    <Text size="sm" fw={600}>
      Record {position} {WHAT[kind]}
    </Text>
  </Group>
);

interface LinkProps {
  record: {
    position: number;
    actionType: string;
    userId: string | null;
    at: number;
    previousHash: string;
    hash: string;
  };
  problem?: Problem | undefined;
}

function Link({ record, problem }: LinkProps) {
  const { position, actionType, userId, at, previousHash, hash } = record;
  return (
    <li className="feedback-link" data-broken={problem && true}>
      {problem && <Break position={position} kind={problem.kind} />}
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {position} · {actionType} · {userId ?? 'a server'}
        </Text>
        <Text size="xs" c="dimmed">
          <Time at={at} />
        </Text>
      </Group>
      <Text className="console-mono" c="dimmed">
        follows {previousHash.slice(0, 12)}… · hash {hash.slice(0, 12)}…
      </Text>
    </li>
  );
}
