import { Alert, Text } from '@mantine/core';
import type { OutputOf } from '../../api/client.ts';
import { useEventTypes } from '../../api/documents.ts';
import { useKey } from '../../api/key.ts';
import { Code } from '../../parts/code.tsx';
import { FormButton } from '../../parts/form.tsx';

/** Sends the example of an event type to an endpoint, and shows the response. */
export function SendTestEvent({ endpointId }: { endpointId: string }) {
  const { call } = useKey();
  const types = useEventTypes();
  return (
    <FormButton
      act="Send"
      fields={[
        {
          name: 'type',
          label: 'Event type',
          options: types,
          initial: 'comment.add',
          required: true,
        },
      ]}
      submit={({ type }: { type: string }) =>
        call('console.webhooks.sendExample', { endpointId, type })
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
