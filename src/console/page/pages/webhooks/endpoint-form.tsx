import { Button, Group, Modal, NumberInput, Stack, TagsInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { WebhookEndpoint } from '../../../../api/contract.ts';
import { useKey } from '../../api/key.ts';
import { queries } from '../../api/queries.ts';
import { EventTypeFilter } from '../../parts/event-type-filter.tsx';
import { Failure } from '../../parts/failure.tsx';
import { fieldErrors, hasFieldErrors } from '../../parts/field-errors.ts';
import { done } from '../../parts/notices.ts';
import { useEndpoints } from './use-endpoints.ts';

interface EndpointFormProps {
  /** The id of the endpoint, or `new`; undefined while the form is closed. */
  edited: string | undefined;
  onClose: () => void;
}

/** Makes an endpoint, or changes one. */
export function EndpointForm({ edited, onClose }: EndpointFormProps) {
  const { data: endpoints } = useEndpoints();
  const endpoint = endpoints?.find(({ id }) => id === edited);
  const isNew = edited === 'new';
  return (
    <Modal
      opened={isNew || endpoint !== undefined}
      onClose={onClose}
      title={isNew ? 'Create endpoint' : 'Edit endpoint'}
      size="lg"
      // Above the panel of the endpoint, from which it is opened.
      zIndex={300}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {(isNew || endpoint) && <Fields key={edited} endpoint={endpoint} onClose={onClose} />}
    </Modal>
  );
}

interface FieldsProps {
  endpoint: WebhookEndpoint | undefined;
  onClose: () => void;
}

interface Values {
  url: string;
  description: string;
  uid: string;
  filterTypes: string[];
  channels: string[];
  rateLimit: number | string;
}

const valuesOf = (endpoint: WebhookEndpoint | undefined): Values => ({
  url: endpoint?.url ?? '',
  description: endpoint?.description ?? '',
  uid: endpoint?.uid ?? '',
  filterTypes: endpoint?.filterTypes ?? [],
  channels: endpoint?.channels ?? [],
  rateLimit: endpoint?.rateLimit ?? '',
});

/** The input of the API: unchanged fields are left out. */
function changesOf(values: Values, before: Values) {
  const isChanged = (field: keyof Values) =>
    JSON.stringify(values[field]) !== JSON.stringify(before[field]);
  const { url, description, filterTypes, channels, rateLimit } = values;
  return {
    ...(isChanged('url') && { url }),
    ...(isChanged('description') && { description }),
    ...(isChanged('filterTypes') && { filterTypes }),
    ...(isChanged('channels') && { channels }),
    ...(isChanged('rateLimit') && { rateLimit: Number(rateLimit) }),
  };
}

function Fields({ endpoint, onClose }: FieldsProps) {
  const { client } = useKey();
  const before = valuesOf(endpoint);
  const [values, setValues] = useState(before);
  const set = (change: Partial<Values>) => setValues((present) => ({ ...present, ...change }));
  const saving = useMutation({
    mutationFn: () => {
      const changes = changesOf(values, before);
      if (endpoint) return client.webhookEndpoints.update({ endpointId: endpoint.id, ...changes });
      const { url, uid } = values;
      return client.webhookEndpoints.create({ ...changes, url, ...(uid && { uid }) });
    },
    onSuccess: () => {
      done(endpoint ? 'Endpoint saved.' : 'Endpoint created. It receives events from now on.');
      void queries.invalidateQueries({ queryKey: ['endpoints'] });
      onClose();
    },
  });
  const problem = fieldErrors(saving.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label="URL"
          description="The http or https URL of your server, which must respond with 2xx within 15 seconds."
          placeholder="https://example.com/webhooks"
          value={values.url}
          onChange={({ currentTarget }) => set({ url: currentTarget.value.trim() })}
          error={problem('url')}
          data-autofocus
          required
        />
        <TextInput
          label="Description"
          value={values.description}
          onChange={({ currentTarget }) => set({ description: currentTarget.value })}
          error={problem('description')}
        />
        <EventTypeFilter
          label="Event types"
          description={
            endpoint?.filterTypes
              ? 'At least one. To receive all event types, create another endpoint.'
              : 'Leave empty for all event types, including those of later versions.'
          }
          types={values.filterTypes}
          onChange={(filterTypes) => set({ filterTypes })}
          error={problem('filterTypes')}
        />
        <TagsInput
          label="Channels"
          description="organization:<id>, folder:<id>, document:<id> or user:<id>; Press Enter to add one. Leave empty for all."
          value={values.channels}
          onChange={(channels) => set({ channels })}
          error={problem('channels')}
        />
        <Group grow align="flex-start">
          <NumberInput
            label="Maximum deliveries per second"
            placeholder="Unlimited"
            value={values.rateLimit}
            onChange={(rateLimit) => set({ rateLimit })}
            error={problem('rateLimit')}
            hideControls
          />
          {!endpoint && (
            <TextInput
              label="Your ID"
              description=""
              placeholder="Optional, unique within the key"
              value={values.uid}
              onChange={({ currentTarget }) => set({ uid: currentTarget.value })}
              error={problem('uid')}
            />
          )}
        </Group>
        {saving.error && !hasFieldErrors(saving.error) && <Failure error={saving.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={saving.isPending}>
            {endpoint ? 'Save' : 'Create endpoint'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
