import { Alert, Text } from '@mantine/core';
import type { OutputOf } from '../../api/client.ts';
import { useEventTypes } from '../../api/documents.ts';
import { useKey } from '../../api/key.ts';
import { Code } from '../../parts/code.tsx';
import { FormButton } from '../../parts/form.tsx';
import { nameOf, useEndpoints } from './use-endpoints.ts';

/** Sends the example of an event type to one endpoint, and shows the response. */
export function SendTestEvent() {
  const { call } = useKey();
  const types = useEventTypes();
  const { data = [] } = useEndpoints();
  const endpoints = data
    .filter(({ disabled }) => !disabled)
    .map((one) => ({ value: one.id, label: nameOf(one) }));
  return (
    <FormButton
      button={{
        size: 'sm',
        disabled: endpoints.length === 0,
        title: endpoints.length === 0 ? 'Create an endpoint first, or enable one.' : undefined,
      }}
      act="Send"
      fields={[
        {
          name: 'endpointId',
          label: 'Endpoint',
          options: endpoints,
          initial: endpoints[0]?.value,
          required: true,
        },
        {
          name: 'type',
          label: 'Event type',
          options: types,
          initial: 'comment.add',
          required: true,
        },
      ]}
      submit={(values: { endpointId: string; type: string }) =>
        call('console.webhooks.sendExample', values)
      }
      staysOpen
      about={(answer) => (
        <>
          <Text size="sm">
            The documented example is signed and sent once, like a real delivery. No event is
            stored, and nothing else changes.
          </Text>
          {answer && <Response answer={answer} />}
        </>
      )}
    >
      Send test event
    </FormButton>
  );
}

type Answer = OutputOf<'console.webhooks.sendExample'>;

function Response({ answer: { statusCode, error, excerpt, latencyMs } }: { answer: Answer }) {
  const isGood = error === null && statusCode !== null && statusCode < 300;
  return (
    <Alert
      color={isGood ? 'teal' : 'red'}
      title={error ?? `The endpoint responded with ${statusCode} in ${latencyMs} ms`}
      role="status"
    >
      {excerpt && <Code text={excerpt} label="Response body" />}
    </Alert>
  );
}
