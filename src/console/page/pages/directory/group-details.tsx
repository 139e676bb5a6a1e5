import { Button, Group, List, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useKey } from '../../api/key.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Empty } from '../../parts/empty.tsx';
import { EntryPicker } from '../../parts/entry-picker.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { failed } from '../../parts/notices.ts';
import { DeleteButton } from './delete-button.tsx';
import { useOpened } from './opened.ts';
import { requireDone } from './outcomes.ts';
import { useRenew } from './use-renew.ts';

interface GroupDetailsProps {
  organizationId: string;
  groupId: string;
}

/** How many members are listed. */
const SHOWN = 200;

export function GroupDetails({ organizationId, groupId }: GroupDetailsProps) {
  const { apiKey, client } = useKey();
  const renew = useRenew();
  const [, open] = useOpened();
  const input = { organizationId, organizationUserGroupIds: [groupId] };
  const query = useQuery({
    queryKey: ['directory', apiKey, 'group', input],
    queryFn: ({ signal }) => client.userGroups.get(input, { signal }),
  });
  return (
    <Loaded query={query}>
      {({ data: [group] }) =>
        group ? (
          <>
            <Facts
              facts={{
                Name: group.groupName,
                ID: <CopyText text={group.groupId} />,
                Members: group.memberCount.toLocaleString('en'),
              }}
            />
            <Title order={3} size="h5">
              Members
            </Title>
            <AddMember organizationId={organizationId} groupId={groupId} />
            <Members
              organizationId={organizationId}
              groupId={groupId}
              userIds={group.userIds ?? []}
            />
            <Group gap="xs">
              <DeleteButton
                title={`Delete group ${group.groupName}?`}
                what={`This deletes ${groupId}. Its ${group.memberCount} members remain as users.`}
                act="Delete group"
                remove={async () => requireDone(await client.userGroups.delete(input))}
                onDone={() => {
                  open(undefined);
                  renew(`Group ${groupId} deleted.`);
                }}
              />
              <CopyCurl operation="userGroups.get" input={input} />
            </Group>
          </>
        ) : (
          <Empty title="Group not found">It may have been deleted.</Empty>
        )
      }
    </Loaded>
  );
}

function AddMember({ organizationId, groupId }: GroupDetailsProps) {
  const { client } = useKey();
  const renew = useRenew();
  const [userId, setUserId] = useState('');
  const adding = useMutation({
    mutationFn: async () =>
      requireDone(
        await client.userGroups.addUsers({
          organizationId,
          organizationUserGroupId: groupId,
          userIds: [userId],
        }),
      ),
    onSuccess: () => {
      setUserId('');
      renew(`${userId} added to the group.`);
    },
    onError: failed,
  });
  return (
    <Group gap="xs" align="flex-end">
      <EntryPicker
        kind="user"
        label="User"
        organizationId={organizationId}
        value={userId}
        onChange={setUserId}
      />
      <ActButton disabled={!userId} loading={adding.isPending} onClick={() => adding.mutate()}>
        Add
      </ActButton>
    </Group>
  );
}

function Members({ organizationId, groupId, userIds }: GroupDetailsProps & { userIds: string[] }) {
  const { client } = useKey();
  const renew = useRenew();
  const [, open] = useOpened();
  if (userIds.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No members yet.
      </Text>
    );
  }
  return (
    <>
      <List listStyleType="none" spacing={4}>
        {userIds.slice(0, SHOWN).map((userId) => (
          <List.Item key={userId}>
            <Group gap="xs">
              <Button
                size="compact-sm"
                variant="subtle"
                onClick={() => open({ kind: 'user', id: userId })}
              >
                {userId}
              </Button>
              <DeleteButton
                title={`Remove ${userId} from the group?`}
                what={`${userId} leaves ${groupId}, but remains a user.`}
                act="Remove"
                remove={async () =>
                  requireDone(
                    await client.userGroups.deleteUsers({
                      organizationId,
                      organizationUserGroupId: groupId,
                      userIds: [userId],
                    }),
                  )
                }
                onDone={() => renew(`${userId} removed from the group.`)}
              />
            </Group>
          </List.Item>
        ))}
      </List>
      {userIds.length > SHOWN && (
        <Text size="sm" c="dimmed">
          Showing the first {SHOWN} of {userIds.length}.
        </Text>
      )}
    </>
  );
}
