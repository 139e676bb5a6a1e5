import { Alert, Grid, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { Failure } from '../../parts/failure.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Allowed } from './allowed.tsx';
import type { Place, Question } from './question.ts';
import { Steps } from './steps.tsx';
import { usePlaces } from './use-places.ts';
import { useWhatIf } from './use-what-if.ts';
import { Verdict } from './verdict.tsx';
import { WhatIf } from './what-if.tsx';

/** The decision with its steps, and beside it what would change it. */
export function Answer({ question }: { question: Question }) {
  const { apiKey, client } = useKey();
  const places = usePlaces(question);
  const explanation = useQuery({
    queryKey: ['access', apiKey, 'explain', question],
    queryFn: ({ signal }) => client.permissions.explain(question, { signal }),
  });
  const whatIf = useWhatIf(question);
  const [{ if: act }] = usePageSearch();
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack gap="md">
          <Loaded query={explanation}>
            {(now) => (
              <>
                <Verdict explanation={now} places={places.data ?? []} />
                <Title order={2} size="h4">
                  Step by step
                </Title>
                <Text size="sm" c="dimmed">
                  The nearest valid role decides. Without a role, the access type decides.
                </Text>
                <Loaded query={places}>
                  {(tree) => <Steps explanation={now} places={tree} />}
                </Loaded>
                <Allowed role={now.decision.accessRole} />
                <Groups userId={question.userId} organizationId={question.organizationId} />
              </>
            )}
          </Loaded>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Paper withBorder p="md">
          <Stack gap="md">
            <Title order={2} size="h4">
              What if
            </Title>
            {places.data && <WhatIf question={question} places={places.data} />}
            {act && <Outcome query={whatIf} places={places.data ?? []} />}
          </Stack>
        </Paper>
      </Grid.Col>
    </Grid>
  );
}

interface OutcomeProps {
  query: ReturnType<typeof useWhatIf>;
  places: readonly Place[];
}

function Outcome({ query, places }: OutcomeProps) {
  const { data, error, isFetching } = query;
  if (error) return <Failure error={error} retry={() => void query.refetch()} />;
  if (!data) return <Text size="sm">{isFetching ? 'Checking…' : ''}</Text>;
  const isSame = JSON.stringify(data.before.decision) === JSON.stringify(data.after.decision);
  return (
    <Stack gap="sm" role="status" aria-label="What would be then">
      {isSame && (
        <Alert color="gray" icon={<Icon name="bulb" />} title="This would not change the result." />
      )}
      <Verdict explanation={data.after} places={places} isThen />
      <Steps explanation={data.after} places={places} />
    </Stack>
  );
}

function Groups({ userId, organizationId }: { userId: string; organizationId: string }) {
  const { apiKey, own } = useKey();
  const { data } = useQuery({
    queryKey: ['directory', apiKey, 'user', userId],
    queryFn: ({ signal }) => own.directory.user.query({ userId }, { signal }),
  });
  const groups = data?.groups.filter((group) => group.organizationId === organizationId) ?? [];
  return (
    <section>
      <Title order={2} size="h4" mb={4}>
        Groups
      </Title>
      <Text size="sm" c="dimmed">
        {groups.length === 0
          ? 'The user is not in any group of this organization. '
          : `In ${groups.map((group) => group.groupName ?? group.groupId).join(', ')}. `}
        Groups are for mentions and subscriptions. They do not grant access.
      </Text>
      <PageLink page="directory" search={{ organization: organizationId, open: `user:${userId}` }}>
        All roles and groups
      </PageLink>
    </section>
  );
}
