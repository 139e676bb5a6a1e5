import { Alert, Badge, Grid, Group, Paper, Stack, Text } from '@mantine/core';
import type { AccessRole } from '../../../../client/index.ts';
import { policies } from '../../../../features/access/policies.ts';
import { useRead } from '../../api/read.ts';
import { Fold } from '../../parts/code.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PageLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/panel.tsx';
import { Note } from '../../parts/text.tsx';
import { type Place, type Question, usePlaces } from './places.ts';
import { Steps } from './steps.tsx';
import { Verdict } from './verdict.tsx';
import { useWhatIf, WhatIf } from './what-if.tsx';

/** The decision with its steps, and beside it what would change it. */
export function Answer({ question }: { question: Question }) {
  const places = usePlaces(question);
  const explanation = useRead('permissions.explain', question);
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack gap="md">
          <Loaded query={explanation}>
            {(now) => (
              <>
                <Verdict explanation={now} places={places.data ?? []} />
                <Section title="Step by step">
                  <Note>
                    The nearest valid role decides. Without a role, the access type decides.
                  </Note>
                  <Loaded query={places}>
                    {(tree) => <Steps explanation={now} places={tree} />}
                  </Loaded>
                </Section>
                <Allowed role={now.decision.accessRole} />
                <Groups userId={question.userId} organizationId={question.organizationId} />
              </>
            )}
          </Loaded>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Paper withBorder p="md">
          <Section title="What if">
            {places.data && <WhatIf question={question} places={places.data} />}
            <Outcome question={question} places={places.data ?? []} />
          </Section>
        </Paper>
      </Grid.Col>
    </Grid>
  );
}

/** The decision after the change: the server makes it, explains, and undoes it. */
function Outcome({ question, places }: { question: Question; places: readonly Place[] }) {
  const { query, isAsked } = useWhatIf(question);
  if (!isAsked) return null;
  return (
    <Loaded query={query}>
      {({ before, after }) => (
        <Stack gap="sm" role="status" aria-label="Result after the change">
          {JSON.stringify(before.decision) === JSON.stringify(after.decision) && (
            <Alert
              color="gray"
              icon={<Icon name="bulb" />}
              title="This would not change the result."
            />
          )}
          <Verdict explanation={after} places={places} isThen />
          <Steps explanation={after} places={places} />
        </Stack>
      )}
    </Loaded>
  );
}

const LIMITS: Record<string, string> = {
  author: 'own only',
  self: 'as themselves',
  setting: 'if the key allows it',
};

/** The operations that users with a role on a place may call for it with their tokens. */
const callsOf = (role: AccessRole): string[] =>
  Object.entries(policies).flatMap(([resource, operations]) =>
    Object.entries(operations).flatMap(([name, { user }]) => {
      if (user?.role !== role) return [];
      return `${resource}.${name}${user.limit ? ` (${LIMITS[user.limit]})` : ''}`;
    }),
  );

/** The policies: what follows from the decision. */
function Allowed({ role }: { role: AccessRole | undefined }) {
  const calls = {
    Read: role === undefined ? [] : callsOf('viewer'),
    Write: role === 'editor' ? callsOf('editor') : [],
  };
  return (
    <Fold title={`Allowed operations: ${role === undefined ? 'none' : `those of ${role}s`}`}>
      <Stack gap="xs">
        {Object.entries(calls).map(([title, names]) => (
          <Group key={title} gap={6}>
            <Text size="sm" fw={600}>
              {title}
            </Text>
            {names.length === 0 && <Text size="sm">Nothing.</Text>}
            {names.map((name) => (
              <Badge key={name} color="gray">
                {name}
              </Badge>
            ))}
          </Group>
        ))}
        <Note size="xs">With a user token. An API key has full access to its own data.</Note>
      </Stack>
    </Fold>
  );
}

function Groups({ userId, organizationId }: { userId: string; organizationId: string }) {
  const { data } = useRead('console.directory.user', { userId });
  const groups = data?.groups.filter((group) => group.organizationId === organizationId) ?? [];
  return (
    <Section title="Groups">
      <Note>
        {groups.length === 0
          ? 'The user is not in any group of this organization. '
          : `In ${groups.map((group) => group.groupName ?? group.groupId).join(', ')}. `}
        Groups are for mentions and subscriptions. They do not grant access.
      </Note>
      <PageLink page="directory" search={{ organization: organizationId, open: `user:${userId}` }}>
        All roles and groups
      </PageLink>
    </Section>
  );
}
