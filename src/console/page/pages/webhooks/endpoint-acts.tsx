import { Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { WebhookEndpoint } from '../../../../api/contract.ts';
import { useKey } from '../../api/key.ts';
import { queries } from '../../api/queries.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { ActButton } from '../../parts/act-button.tsx';
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
    onSuccess: () => done(disabled ? 'Endpoint enabled.' : 'Endpoint disabled.'),
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
      what: `This deletes ${nameOf(endpoint)} with its secret and delivery history. Pending deliveries are not sent. It cannot be undone.`,
      act: 'Delete endpoint',
      onConfirm: () => deleting.mutate(),
    });
  return (
    <Group gap="xs">
      <ActButton size="xs" variant="default" onClick={() => setSearch({ edit: id }, 'push')}>
        Edit
      </ActButton>
      <ActButton
        size="xs"
        variant="default"
        onClick={() => switching.mutate()}
        loading={switching.isPending}
      >
        {disabled ? 'Enable' : 'Disable'}
      </ActButton>
      <ActButton
        size="xs"
        variant="light"
        color="red"
        onClick={askToDelete}
        loading={deleting.isPending}
      >
        Delete
      </ActButton>
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
    onSuccess: () => done('Secret rotated. The previous one remains valid for 24 hours.'),
    onError: failed,
    onSettled: refresh,
  });
  const ask = () =>
    confirmDestruction({
      title: 'Rotate the signing secret?',
      what: 'For 24 hours, deliveries are signed with both the new and the old secret. Update your receiver in this time.',
      act: 'Rotate',
      onConfirm: () => rotating.mutate(),
    });
  return (
    <ActButton size="compact-xs" variant="default" onClick={ask} loading={rotating.isPending}>
      Rotate
    </ActButton>
  );
}
