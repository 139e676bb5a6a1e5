import { Alert, Anchor, Grid, Group, Paper, Stack } from '@mantine/core';
import { useRead } from '../../api/read.ts';
import { Icon } from '../../parts/icon.tsx';
import { PageLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/panel.tsx';
import { Note } from '../../parts/text.tsx';
import type { Place, Question } from './places.ts';
import { Steps } from './steps.tsx';
import { Verdict } from './verdict.tsx';
import { useWhatIf, WhatIf } from './what-if.tsx';

/** The decision with its steps, and beside it what would change it. */
export function Answer({ question }: { question: Question }) {
  const { userId: _, ...asked } = question;
  const places = useRead('console.directory.places', asked, { select: (found) => found.places });
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
                <Group gap="md">
                  <PageLink
                    page="directory"
                    search={{
                      organization: question.organizationId,
                      open: `user:${question.userId}`,
                    }}
                  >
                    All roles and groups
                  </PageLink>
                  <Anchor size="sm" href="/docs/access#what-a-user-token-may-call" target="_blank">
                    What each role may do
                  </Anchor>
                </Group>
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
