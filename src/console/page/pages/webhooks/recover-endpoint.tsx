import { Group, NativeSelect, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useKey } from '../../api/key.ts';
import { queries } from '../../api/queries.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { done } from '../../parts/notices.ts';

const HOUR_MS = 3_600_000;
const SINCE = [
  { label: 'Last hour', value: String(HOUR_MS) },
  { label: 'Last 24 hours', value: String(24 * HOUR_MS) },
  { label: 'Last 7 days', value: String(7 * 24 * HOUR_MS) },
  // A minute less than the API allows, since the request takes time.
  { label: 'Last 14 days', value: String(14 * 24 * HOUR_MS - 60_000) },
];

/** Sends again whatever failed since a time, such as an outage of the receiver. */
export function RecoverEndpoint({ endpointId }: { endpointId: string }) {
  const { client } = useKey();
  const [agoMs, setAgoMs] = useState(SINCE[1]?.value ?? '');
  const recovering = useMutation({
    mutationFn: () =>
      client.webhookEndpoints.recover({ endpointId, since: Date.now() - Number(agoMs) }),
    onSuccess: ({ recovered }) => {
      done(recovered === 0 ? 'No deliveries had failed.' : `Resending ${recovered} deliveries.`);
      void queries.invalidateQueries({ queryKey: ['deliveries'] });
    },
  });
  return (
    <>
      <Text size="sm" c="dimmed">
        Resends everything that failed or waits for a retry, for example after an outage of your
        receiver.
      </Text>
      <Group align="flex-end">
        <NativeSelect
          label="Deliveries that failed in"
          data={SINCE}
          value={agoMs}
          onChange={({ currentTarget }) => setAgoMs(currentTarget.value)}
        />
        <ActButton
          variant="default"
          onClick={() => recovering.mutate()}
          loading={recovering.isPending}
        >
          Resend
        </ActButton>
      </Group>
      {recovering.error && <Failure error={recovering.error} />}
    </>
  );
}
