import { Alert, Anchor, Grid, Group, Select, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../api/client.ts';
import { type Operation, openApi } from '../../api/documents.ts';
import { useKey } from '../../api/key.ts';
import { usePageSearch } from '../../app/search.ts';
import { ActButton } from '../../parts/act.tsx';
import { CallCode } from '../../parts/calls.tsx';
import { Json } from '../../parts/code.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/panel.tsx';

/** Any operation of the API, with an input to change, its code, and its answer. */
export function Runner() {
  const api = useQuery(openApi);
  return <Loaded query={api}>{({ operations }) => <Operations operations={operations} />}</Loaded>;
}

function Operations({ operations }: { operations: Operation[] }) {
  const [{ operation: wanted, input }, change] = usePageSearch();
  const chosen =
    operations.find(({ name }) => name === wanted) ??
    operations.find(({ name }) => name === 'documents.get');
  if (!chosen) return null;
  const given = chosen.name === wanted ? input : undefined;
  return (
    <Stack>
      <Group align="flex-end">
        <Select
          label="Operation"
          data={operations.map(({ name }) => name)}
          value={chosen.name}
          onChange={(name) => change({ operation: name ?? undefined, input: undefined }, 'push')}
          allowDeselect={false}
          searchable
          miw={280}
        />
        <Text size="sm" c="dimmed">
          {chosen.summary}.{' '}
          <Anchor href={`/docs/operations/${chosen.name}`} target="_blank" inherit>
            Documentation
          </Anchor>
        </Text>
      </Group>
      <OneOperation
        key={`${chosen.name} ${given}`}
        operation={chosen}
        first={given ?? JSON.stringify(chosen.example, null, 2)}
      />
    </Stack>
  );
}

function OneOperation({ operation: { name }, first }: { operation: Operation; first: string }) {
  const { apiKey } = useKey();
  const [text, setText] = useState(first);
  useEffect(() => setText(first), [first]);
  const { input, problem } = parsed(text);
  const running = useMutation({
    mutationFn: () => call(apiKey, name, input as never) as Promise<unknown>,
  });
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Stack gap="sm">
          <Textarea
            label="Input (JSON)"
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            error={problem}
            autosize
            minRows={8}
            maxRows={24}
            spellCheck={false}
            classNames={{ input: 'console-mono' }}
          />
          <Group>
            <ActButton
              disabled={problem !== undefined}
              loading={running.isPending}
              onClick={() => running.mutate()}
            >
              Run
            </ActButton>
            <Text size="xs" c="dimmed">
              It really runs, with your rights and the chosen key.
            </Text>
          </Group>
          {problem === undefined && <CallCode name={name} input={input} />}
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Section title="Answer">
          {running.error && <Failure error={running.error} />}
          {running.isSuccess && <Json value={running.data ?? null} label="Answer" />}
          {running.isIdle && <Alert color="gray">Run the operation to see its answer.</Alert>}
        </Section>
      </Grid.Col>
    </Grid>
  );
}

function parsed(text: string): { input?: unknown; problem?: string } {
  try {
    return { input: JSON.parse(text) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
