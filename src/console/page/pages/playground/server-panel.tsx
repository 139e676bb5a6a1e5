import { Badge, Box, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { useKey } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { ActButton } from '../../parts/act.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Note } from '../../parts/text.tsx';
import { ACTS, type Act, perform } from './acts.ts';
import { Trace } from './trace.tsx';

/** The third party: the server of an app, which changes the same document over REST. */
export function ServerPanel() {
  const { apiKey } = useKey();
  const [{ act: shownId }, setSearch] = usePageSearch();
  const calls = useRef(new Map<Act, number>());
  const performing = useMutation({
    mutationFn: ({ act, input }: { act: Act; input: object }) => perform(apiKey, act, input),
  });
  const press = (act: Act) => {
    const call = calls.current.get(act) ?? 0;
    calls.current.set(act, call + 1);
    setSearch({ act: act.id });
    performing.mutate({ act, input: act.input(call) });
  };
  const shown = ACTS.find(({ id }) => id === shownId);
  const example = useMemo(() => shown?.input(0) ?? {}, [shown]);
  const { variables, isPending } = performing;
  const isOfShown = variables?.act === shown;
  return (
    <Paper withBorder component="section" aria-label="Your server">
      <Group className="play-head" px="sm" py={8} gap="xs" wrap="nowrap">
        <Box flex={1} miw={0}>
          <Title order={2} size="sm" fw={650}>
            Your server
          </Title>
          <Note size="xs">Press a button: both windows change.</Note>
        </Box>
        <Badge color="gray" size="sm">
          REST
        </Badge>
      </Group>
      <Stack p="sm" gap="sm">
        <Group gap={6}>
          {ACTS.map((act) => (
            <ActButton
              key={act.id}
              size="xs"
              variant={act === shown ? 'filled' : 'default'}
              leftSection={<Icon name={act.icon} size={14} />}
              loading={isPending && variables.act === act}
              disabled={isPending && variables.act !== act}
              onClick={() => press(act)}
            >
              {act.label}
            </ActButton>
          ))}
        </Group>
        {shown ? (
          <Trace
            act={shown}
            input={isOfShown && variables ? variables.input : example}
            performance={isOfShown ? performing.data : undefined}
            error={isOfShown ? performing.error : null}
          />
        ) : (
          <Guide />
        )}
      </Stack>
    </Paper>
  );
}

/** The instructions for a first visit. */
function Guide() {
  return (
    <Stack gap={6} component="ol" className="play-guide">
      <Text component="li" size="sm">
        <b>Type in a window.</b> The other one shows it while you type, with your caret.
      </Text>
      <Text component="li" size="sm">
        <b>Write a comment</b> below a text. It is there for both people.
      </Text>
      <Text component="li" size="sm">
        <b>Press a button above.</b> That is a REST call of your server to the same document. You
        see its <code>curl</code> line and client code, its answer, the event that it made, and the
        webhook that left.
      </Text>
    </Stack>
  );
}
