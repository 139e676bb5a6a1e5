import { Alert, Text } from '@mantine/core';
import type { WebhookEndpoint } from '../../../../api/contract.ts';
import { useEventTypes } from '../../api/api-description.ts';
import type { OutputOf } from '../../api/client.ts';
import { usePageSearch } from '../../app/search.ts';
import { Code } from '../../parts/basics.tsx';
import type { Field } from '../../parts/fields.tsx';
import { FormButton } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { isAccepted } from './use-endpoints.ts';

const fieldsOf = (types: string[], endpoint?: WebhookEndpoint): Field[] => [
  {
    name: 'url',
    label: 'URL',
    description:
      'The http or https URL of your server, which must respond with 2xx within 15 seconds.',
    placeholder: 'https://example.com/webhooks',
    required: true,
    initial: endpoint?.url,
  },
  { name: 'description', label: 'Description', initial: endpoint?.description },
  {
    name: 'filterTypes',
    label: 'Event types',
    kind: 'list',
    options: types,
    placeholder: 'All event types',
    description: endpoint?.filterTypes
      ? 'Keep at least one. To receive all event types, create another endpoint.'
      : 'Leave empty for all event types, including those of later versions.',
    initial: endpoint?.filterTypes,
  },
  {
    name: 'channels',
    label: 'Channels',
    kind: 'list',
    description: `organization:<id>, folder:<id>, document:<id> or user:<id>. Press Enter to add one. ${
      endpoint?.channels
        ? 'Keep at least one. To receive all channels, create another endpoint.'
        : 'Leave empty for all channels.'
    }`,
    initial: endpoint?.channels,
  },
  {
    name: 'rateLimit',
    label: 'Maximum deliveries per second',
    kind: 'number',
    description: endpoint?.rateLimit ? 'To remove the limit, create another endpoint.' : undefined,
    placeholder: 'Unlimited',
    initial: endpoint?.rateLimit,
  },
];

const UID_FIELD: Field = {
  name: 'uid',
  label: 'Your ID',
  placeholder: 'Optional, unique within the API key',
};

export function CreateEndpoint() {
  const [, changeSearch] = usePageSearch();
  return (
    <FormButton
      label="Create endpoint"
      button={{ size: 'sm', variant: 'filled', leftSection: <Icon name="plus" size={16} /> }}
      submitLabel="Create endpoint"
      fields={[...fieldsOf(useEventTypes()), UID_FIELD]}
      submit={(call, { url }: { url: string }, changes) =>
        call('webhookEndpoints.create', { ...changes, url: url.trim() })
      }
      notice="Endpoint created. It receives events from now on."
      onDone={(_, { id }) => changeSearch({ tab: undefined, endpoint: id }, 'push')}
    />
  );
}

/** A form that changes an endpoint. It sends only changed fields. */
export const EditEndpoint = ({ endpoint }: { endpoint: WebhookEndpoint }) => (
  <FormButton
    label="Edit"
    title="Edit endpoint"
    fields={fieldsOf(useEventTypes(), endpoint)}
    submit={(call, _, changes) =>
      call('webhookEndpoints.update', { endpointId: endpoint.id, ...changes })
    }
    notice="Endpoint saved."
  />
);

/** A form that sends the example of an event type to an endpoint, and shows the response. */
export function SendTestEvent({ endpointId }: { endpointId: string }) {
  const types = useEventTypes();
  return (
    <FormButton
      label="Send test event"
      submitLabel="Send"
      fields={{
        name: 'type',
        label: 'Event type',
        options: types,
        initial: 'comment.add',
        required: true,
      }}
      submit={(call, { type }: { type: string }) =>
        call('console.webhooks.sendExample', { endpointId, type })
      }
      staysOpen
      intro={(answer) => (
        <>
          <Text>
            The example from the documentation is signed and sent once, like a real delivery. No
            event is stored, and nothing else changes.
          </Text>
          {answer && <TestResponse answer={answer} />}
        </>
      )}
    />
  );
}

type Answer = OutputOf<'console.webhooks.sendExample'>;

function TestResponse({ answer }: { answer: Answer }) {
  const { statusCode, error, excerpt, latencyMs } = answer;
  return (
    <Alert
      color={isAccepted(answer) ? 'teal' : 'red'}
      title={error ?? `The endpoint responded with ${statusCode} in ${latencyMs} ms`}
      role="status"
    >
      {excerpt && <Code text={excerpt} label="Response body" />}
    </Alert>
  );
}
