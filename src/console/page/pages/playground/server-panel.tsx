import { Box, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { usePageKey } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { WriteButton } from '../../parts/action-button.tsx';
import { Note } from '../../parts/basics.tsx';
import { Icon } from '../../parts/icon.tsx';
import { runAction, SERVER_ACTIONS, type ServerAction } from './server-actions.ts';
import { Trace } from './trace.tsx';

/** Plays the server of an app: each button makes a REST call whose effect the windows show. */
export function ServerPanel() {
  const { apiKey } = usePageKey();
  const [{ act: shownId }, changeSearch] = usePageSearch();
  const callCounts = useRef(new Map<ServerAction, number>());
  const running = useMutation({
    mutationFn: ({ action, input }: { action: ServerAction; input: object }) =>
      runAction(apiKey, action, input),
  });
  const press = (action: ServerAction) => {
    const count = callCounts.current.get(action) ?? 0;
    callCounts.current.set(action, count + 1);
    changeSearch({ act: action.id });
    running.mutate({ action, input: action.input(count) });
  };
  const shown = SERVER_ACTIONS.find(({ id }) => id === shownId);
  const example = useMemo(() => shown?.input(0) ?? {}, [shown]);
  const { variables, isPending } = running;
  const isShownCall = variables?.action === shown;
  return (
    <Paper withBorder component="section" aria-label="Your server">
      <Box className="play-head" px="sm" py={8}>
        <Title size="sm" fw={650}>
          Your server
        </Title>
        <Note size="xs">Press a button: a REST call changes both windows.</Note>
      </Box>
      <Stack p="sm" gap="sm">
        <Group gap={6}>
          {SERVER_ACTIONS.map((action) => (
            <WriteButton
              key={action.id}
              size="xs"
              variant={action === shown ? 'filled' : 'default'}
              leftSection={<Icon name={action.icon} size={14} />}
              loading={isPending && variables.action === action}
              disabled={isPending && variables.action !== action}
              onClick={() => press(action)}
            >
              {action.label}
            </WriteButton>
          ))}
        </Group>
        {shown ? (
          <Trace
            action={shown}
            input={isShownCall && variables ? variables.input : example}
            done={isShownCall ? running.data : undefined}
            error={isShownCall ? running.error : null}
          />
        ) : (
          <Guide />
        )}
      </Stack>
    </Paper>
  );
}

/** The instructions for a first visit. */
const Guide = () => (
  <Stack gap={6} component="ol" m={0} ps="1.2rem">
    <Text component="li">
      <b>Type in a window.</b> The other one shows it while you type, with your caret.
    </Text>
    <Text component="li">
      <b>Write a comment</b> below a text. Both people see it.
    </Text>
    <Text component="li">
      <b>Press a button above.</b> Your server then makes a REST call about the same document. You
      see the call as <code>curl</code> and as client code, its response, its event, and the webhook
      that delivered the event.
    </Text>
  </Stack>
);
