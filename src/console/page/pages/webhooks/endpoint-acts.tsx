import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { WebhookEndpoint } from '../../../../api/contract.ts';
import { useKey } from '../../api/key.ts';
import { queries } from '../../api/queries.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { confirmDestruction } from '../../parts/confirm.tsx';
import { done, failed } from '../../parts/notices.ts';
import { nameOf } from './use-endpoints.ts';

const refresh = () => {
  void queries.invalidateQueries({ queryKey: ['endpoints'] });
  void queries.invalidateQueries({ queryKey: ['endpoint health'] });
};

interface EndpointActsProps {
  endpoint: WebhookEndpoint;
  onGone: () => void;
}

/** Edit, disable or enable, delete. */
export function EndpointActs({ endpoint, onGone }: EndpointActsProps) {
  const { client } = useKey();
  const [, setSearch] = usePageSearch();
  const { id, disabled } = endpoint;
  const switching = useMutation({
    mutationFn: () => client.webhookEndpoints.update({ endpointId: id, disabled: !disabled }),
    onSuccess: () => done(disabled ? 'It receives events again.' : 'It receives nothing any more.'),
    onError: failed,
    onSettled: refresh,
  });
  const deleting = useMutation({
    mutationFn: () => client.webhookEndpoints.delete({ endpointId: id }),
    onSuccess: () => {
      done(`Deleted ${nameOf(endpoint)}.`);
      onGone();
    },
    onError: failed,
    onSettled: refresh,
  });
  const askToDelete = () =>
    confirmDestruction({
      title: 'Delete this endpoint?',
      what: `${nameOf(endpoint)} goes with its secret and its deliveries. What waits for it is not sent. This cannot be undone.`,
      act: 'Delete endpoint',
      onConfirm: () => deleting.mutate(),
    });
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" onClick={() => setSearch({ edit: id }, 'push')}>
        Edit
      </Button>
      <Button
        size="xs"
        variant="default"
        onClick={() => switching.mutate()}
        loading={switching.isPending}
      >
        {disabled ? 'Enable' : 'Disable'}
      </Button>
      <Button
        size="xs"
        variant="light"
        color="red"
        onClick={askToDelete}
        loading={deleting.isPending}
      >
        Delete
      </Button>
    </Group>
  );
}

/** Makes a new secret. The answer has it, but it is shown only on demand. */
export function RotateSecret({ endpointId }: { endpointId: string }) {
  const { client } = useKey();
  const rotating = useMutation({
    mutationFn: async () => {
      await client.webhookEndpoints.secret.rotate({ endpointId });
    },
    onSuccess: () => done('There is a new secret. The one before also signs for 24 hours.'),
    onError: failed,
    onSettled: refresh,
  });
  const ask = () =>
    confirmDestruction({
      title: 'Rotate the signing secret?',
      what: 'Deliveries are signed with the new and the old secret for 24 hours. Until then your receiver must know the new one.',
      act: 'Rotate',
      onConfirm: () => rotating.mutate(),
    });
  return (
    <Button size="compact-xs" variant="default" onClick={ask} loading={rotating.isPending}>
      Rotate
    </Button>
  );
}
