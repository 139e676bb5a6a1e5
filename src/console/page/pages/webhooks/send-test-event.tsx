import { Button, Code, Group, List, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { WebhookEndpoint } from '../../../../api/contract.ts';
import type { CollaborationClient } from '../../../../client/index.ts';
import { refusal } from '../../api/failure.ts';
import { useKey } from '../../api/key.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { Failure } from '../../parts/failure.tsx';
import { done } from '../../parts/notices.ts';
import { nameOf, useEndpoints } from './use-endpoints.ts';

/** The organization whose name changes with each test. */
const TESTED = 'webhook-test';

/** The smallest act that makes a real event: an organization of its own is renamed, or added. */
async function makeEvent(client: CollaborationClient): Promise<void> {
  const organizationName = `Webhook test of ${new Date().toISOString()}`;
  const organizations = [{ organizationId: TESTED, organizationName }];
  const { [TESTED]: renamed } = await client.organizations.update({ organizations });
  if (renamed?.success) return;
  const { [TESTED]: added } = await client.organizations.add({ organizations });
  if (!added?.success) throw refusal(added?.message);
}

const receives = ({ disabled, filterTypes, channels }: WebhookEndpoint): boolean =>
  !disabled &&
  (!filterTypes || filterTypes.includes('organization.update')) &&
  (!channels || channels.includes(`organization:${TESTED}`));

/** Sends a real event, after saying what it does and which endpoints will receive it. */
export function SendTestEvent() {
  const { client } = useKey();
  const [isOpen, { open, close }] = useDisclosure();
  const [, setSearch] = usePageSearch();
  const { data: endpoints } = useEndpoints();
  const receivers = endpoints?.filter(receives) ?? [];
  const sending = useMutation({
    mutationFn: () => makeEvent(client),
    onSuccess: () => {
      done('The event was made. What is sent appears among the deliveries.');
      close();
      setSearch(
        { tab: 'deliveries', type: undefined, endpoint: undefined, status: undefined },
        'push',
      );
    },
  });
  return (
    <>
      <Button variant="default" onClick={open}>
        Send a test event
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title="Send a test event"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <Text size="sm">
            Events are never made up: this renames the organization <Code>{TESTED}</Code>, which is
            added when it is missing and holds nothing else. That makes a real{' '}
            <Code>organization.update</Code>.
          </Text>
          {receivers.length === 0 ? (
            <Text size="sm" fw={600}>
              No enabled endpoint selects this event, so only the event log will show it.
            </Text>
          ) : (
            <div>
              <Text size="sm">It goes to:</Text>
              <List size="sm">
                {receivers.map((one) => (
                  <List.Item key={one.id}>{nameOf(one)}</List.Item>
                ))}
              </List>
            </div>
          )}
          {sending.error && <Failure error={sending.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button onClick={() => sending.mutate()} loading={sending.isPending}>
              Send it
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
