import { Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { useClipboard, useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { clientCodeOf, curlOf, openApi } from '../api/api-description.ts';
import { type RecordedCall, useCalls } from '../api/call-history.ts';
import { useChosenKey, usePageKey } from '../api/read.ts';
import { Code, Fold } from './basics.tsx';
import { Icon } from './icon.tsx';
import { PageLink } from './links.tsx';
import { SidePanel } from './panel.tsx';

/** A longer input is left out of the link to the runner, since it does not fit into an address. */
const MAX_INPUT_LENGTH = 1_500;

/** The call as a shell command; undefined until the operations are known. */
function useCurl({ name, input, apiKey }: CallProps): string | undefined {
  const { apiKey: pageKey } = usePageKey();
  const { key: chosenKey } = useChosenKey();
  const { data } = useQuery(openApi);
  const operation = data?.operations.find((each) => each.name === name);
  const caller = { apiKey: apiKey ?? pageKey, workspaceId: chosenKey?.workspaceId ?? '' };
  return operation && curlOf(caller, operation, input);
}

interface CallProps {
  name: string;
  input: unknown;
  /** The API key of the call; by default that of the page. */
  apiKey?: string;
}

export function CopyCurl(call: CallProps) {
  const curl = useCurl(call);
  const { copy, copied } = useClipboard();
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
      disabled={curl === undefined}
      onClick={() => copy(curl ?? '')}
    >
      {copied ? 'Copied' : 'Copy as curl'}
    </Button>
  );
}

/** A call in code: for a shell, and with the client package. */
export function CallCode(call: CallProps) {
  const curl = useCurl(call);
  return (
    <Tabs defaultValue="curl" variant="outline" keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="curl">curl</Tabs.Tab>
        <Tabs.Tab value="client">TypeScript</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="curl" pt={6}>
        {curl && <Code text={curl} label="curl" />}
      </Tabs.Panel>
      <Tabs.Panel value="client" pt={6}>
        <Code text={clientCodeOf(call.name, call.input)} label="TypeScript" />
      </Tabs.Panel>
    </Tabs>
  );
}

/** The API calls that the page made, to copy and to run again. */
export function Calls() {
  const calls = useCalls();
  const [isOpen, { open, close }] = useDisclosure();
  if (calls.length === 0) return null;
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        leftSection={<Icon name="send" size={14} />}
        onClick={open}
      >
        API calls
      </Button>
      <SidePanel title="API calls of this page" opened={isOpen} onClose={close}>
        {calls.map((call) => (
          <OneCall key={JSON.stringify(call)} call={call} />
        ))}
      </SidePanel>
    </>
  );
}

function OneCall({ call: { name, input } }: { call: RecordedCall }) {
  const text = JSON.stringify(input, null, 2);
  const isShort = text.length <= MAX_INPUT_LENGTH;
  return (
    <Stack gap={4} component="section" aria-label={name}>
      <Group gap="xs" justify="space-between">
        <Text className="console-mono" fw={600}>
          {name}
        </Text>
        <Group gap="xs">
          <CopyCurl name={name} input={input} />
          <PageLink
            page="playground"
            search={{ tab: 'api', operation: name, input: isShort ? text : undefined }}
            text="Open in API runner"
          />
        </Group>
      </Group>
      <Fold title="Code">
        <CallCode name={name} input={input} />
      </Fold>
    </Stack>
  );
}
