import { Alert, Button, Group, Modal, NativeSelect, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useEventTypes } from '../../api/documents.ts';
import { useKey } from '../../api/key.ts';
import { ActButton } from '../../parts/act.tsx';
import { Code } from '../../parts/code.tsx';
import { Failure } from '../../parts/failure.tsx';
import { nameOf, useEndpoints } from './use-endpoints.ts';

/** Sends the example of an event type to one endpoint, and shows the response. */
export function SendTestEvent() {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <ActButton variant="default" onClick={open}>
        Send test event
      </ActButton>
      <Modal
        opened={isOpen}
        onClose={close}
        title="Send test event"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <TestEvent onClose={close} />
      </Modal>
    </>
  );
}

function TestEvent({ onClose }: { onClose: () => void }) {
  const { call } = useKey();
  const types = useEventTypes();
  const { data = [] } = useEndpoints();
  const endpoints = data.filter(({ disabled }) => !disabled);
  const [chosen, setChosen] = useState('');
  const [type, setType] = useState('comment.add');
  const endpointId = chosen || (endpoints[0]?.id ?? '');
  const sending = useMutation({
    mutationFn: () => call('console.webhooks.sendExample', { endpointId, type }),
  });
  if (endpoints.length === 0) {
    return <Text size="sm">Create an endpoint first, or enable one.</Text>;
  }
  const { statusCode = null, error = null, excerpt, latencyMs } = sending.data ?? {};
  const isGood = error === null && statusCode !== null && statusCode < 300;
  return (
    <Stack>
      <Text size="sm">
        The documented example is signed and sent once, like a real delivery. No event is stored,
        and nothing else changes.
      </Text>
      <NativeSelect
        label="Endpoint"
        data={endpoints.map((one) => ({ value: one.id, label: nameOf(one) }))}
        value={endpointId}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      />
      <Select
        label="Event type"
        data={types}
        value={type}
        onChange={(value) => setType(value ?? type)}
        allowDeselect={false}
        searchable
      />
      {sending.error && <Failure error={sending.error} />}
      {sending.data && (
        <Alert
          color={isGood ? 'teal' : 'red'}
          title={error ?? `The endpoint responded with ${statusCode} in ${latencyMs} ms`}
          role="status"
        >
          {excerpt && <Code text={excerpt} label="Response body" />}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button onClick={() => sending.mutate()} loading={sending.isPending}>
          Send
        </Button>
      </Group>
    </Stack>
  );
}
