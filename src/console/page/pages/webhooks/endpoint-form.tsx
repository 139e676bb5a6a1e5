import type { WebhookEndpoint } from '../../../../api/contract.ts';
import { useEventTypes } from '../../api/documents.ts';
import { useKey } from '../../api/key.ts';
import { usePageSearch } from '../../app/search.ts';
import type { Field } from '../../parts/fields.tsx';
import { FormButton, type Values } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';

const fieldsOf = (types: string[], endpoint?: WebhookEndpoint): Field[] => [
  {
    name: 'url',
    label: 'URL',
    about: 'The http or https URL of your server, which must respond with 2xx within 15 seconds.',
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
    about: endpoint?.filterTypes
      ? 'At least one. To receive all event types, create another endpoint.'
      : 'Leave empty for all event types, including those of later versions.',
    initial: endpoint?.filterTypes,
  },
  {
    name: 'channels',
    label: 'Channels',
    kind: 'list',
    about:
      'organization:<id>, folder:<id>, document:<id> or user:<id>. Press Enter to add one. Leave empty for all.',
    initial: endpoint?.channels,
  },
  {
    name: 'rateLimit',
    label: 'Maximum deliveries per second',
    kind: 'number',
    placeholder: 'Unlimited',
    initial: endpoint?.rateLimit,
  },
];

const UID: Field = {
  name: 'uid',
  label: 'Your ID',
  placeholder: 'Optional, unique within the key',
};

/** Makes an endpoint, and opens it. */
export function CreateEndpoint() {
  const { call } = useKey();
  const [, change] = usePageSearch();
  return (
    <FormButton
      button={{ size: 'sm', variant: 'filled', leftSection: <Icon name="plus" size={16} /> }}
      act="Create endpoint"
      fields={[...fieldsOf(useEventTypes()), UID]}
      submit={({ url }: { url: string }, changes: Values) =>
        call('webhookEndpoints.create', { ...changes, url: url.trim() })
      }
      said="Endpoint created. It receives events from now on."
      onDone={(_, { id }) => change({ tab: undefined, endpoint: id }, 'push')}
    >
      Create endpoint
    </FormButton>
  );
}

/** Changes an endpoint. Unchanged fields are left out. */
export function EditEndpoint({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { call } = useKey();
  return (
    <FormButton
      title="Edit endpoint"
      act="Save"
      fields={fieldsOf(useEventTypes(), endpoint)}
      submit={(_: Values, changes: Values) =>
        call('webhookEndpoints.update', { endpointId: endpoint.id, ...changes })
      }
      said="Endpoint saved."
    >
      Edit
    </FormButton>
  );
}
