import { Alert, Anchor, Group, SimpleGrid, Stack, Textarea } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { openApi } from '../../api/api-description.ts';
import { call } from '../../api/client.ts';
import { usePageKey } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { WriteButton } from '../../parts/action-button.tsx';
import { Failure, Json, Loaded, Note } from '../../parts/basics.tsx';
import { CallCode } from '../../parts/calls.tsx';
import { Filters } from '../../parts/filters.tsx';
import { Section } from '../../parts/panel.tsx';

/** An operation of the API, or a tool of an agent. */
export interface Runnable {
  name: string;
  /** A sentence about its effect. */
  description: ReactNode;
  example: unknown;
  run: (input: unknown) => Promise<unknown>;
  /** The call in code. */
  codeOf?: (input: unknown) => ReactNode;
}

/** Runs any operation of the API with an input that can be edited, and shows its code and its response. */
export function Runner() {
  const { apiKey } = usePageKey();
  const api = useQuery(openApi);
  return (
    <Loaded query={api}>
      {({ operations }) => (
        <Workbench
          parameter="operation"
          label="Operation"
          first="organizations.get"
          note="This runs for real, with your rights and the chosen key."
          runnables={operations.map(({ name, summary, example }) => ({
            name,
            description: (
              <>
                {summary}.{' '}
                <Anchor href={`/docs/operations/${name}`} target="_blank" inherit>
                  Documentation
                </Anchor>
              </>
            ),
            example,
            run: (input) => call(apiKey, name, input as never) as Promise<unknown>,
            codeOf: (input) => <CallCode name={name} input={input} />,
          }))}
        />
      )}
    </Loaded>
  );
}

interface WorkbenchProps {
  /** The parameter of the address that names the chosen runnable. */
  parameter: 'operation' | 'tool';
  label: string;
  runnables: Runnable[];
  /** The runnable that is chosen initially. */
  first: string;
  note: string;
}

/** Lets the person choose one of many runnables, and run it. */
export function Workbench({ parameter, label, runnables, first, note }: WorkbenchProps) {
  const [{ [parameter]: nameInAddress = first, input }] = usePageSearch();
  const runnableNamed = (name: string) => runnables.find((each) => each.name === name);
  const chosen = runnableNamed(nameInAddress) ?? runnableNamed(first);
  if (!chosen) return null;
  const { name, description, example } = chosen;
  const text = (name === nameInAddress && input) || JSON.stringify(example, null, 2);
  return (
    <Stack>
      <Group align="flex-end">
        <Filters
          filters={{
            name: parameter,
            label,
            options: runnables.map((each) => each.name),
            initial: name,
            required: true,
            clearedParameters: ['input'],
          }}
        />
        <Note>{description}</Note>
      </Group>
      <RunOne key={`${name} ${text}`} {...chosen} initialText={text} note={note} />
    </Stack>
  );
}

type RunOneProps = Pick<Runnable, 'run' | 'codeOf'> & { initialText: string; note: string };

function RunOne({ run, codeOf, initialText, note }: RunOneProps) {
  const [text, setText] = useState(initialText);
  const { input, problem } = parseInput(text);
  const running = useMutation({ mutationFn: () => run(input) });
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
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
          <WriteButton
            disabled={problem !== undefined}
            loading={running.isPending}
            onClick={() => running.mutate()}
          >
            Run
          </WriteButton>
          <Note size="xs">{note}</Note>
        </Group>
        {problem === undefined && codeOf?.(input)}
      </Stack>
      <Section title="Response">
        {running.error && <Failure error={running.error} />}
        {running.isSuccess && <Json value={running.data ?? null} label="Response" />}
        {running.isIdle && <Alert color="gray">Press Run to see the response.</Alert>}
      </Section>
    </SimpleGrid>
  );
}

function parseInput(text: string): { input?: unknown; problem?: string } {
  try {
    return { input: JSON.parse(text) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
