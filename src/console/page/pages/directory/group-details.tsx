import { Group, List, Text } from '@mantine/core';
import type { InputOf } from '../../api/client.ts';
import { firstOf, useRead } from '../../api/read.ts';
import { Act } from '../../parts/act.tsx';
import { FormButton } from '../../parts/form.tsx';
import { SearchLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/panel.tsx';
import { CopyText, Facts, Note } from '../../parts/text.tsx';
import type { OpenedEntry } from './fields.ts';

/** How many members are listed. */
const SHOWN = 200;

export function GroupDetails({ id: groupId, organizationId, onGone }: OpenedEntry) {
  const input = { organizationId, organizationUserGroupIds: [groupId] };
  const query = useRead('userGroups.get', input, { select: firstOf });
  return (
    <Loaded query={query} missing="Group">
      {(group) => (
        <>
          <Facts
            facts={{
              Name: group.groupName,
              ID: <CopyText text={group.groupId} />,
              Members: group.memberCount.toLocaleString('en'),
            }}
          />
          <Members
            of={{ organizationId, organizationUserGroupId: groupId }}
            userIds={group.userIds ?? []}
          />
          <Group>
            <Act
              run={(call) => call('userGroups.delete', input)}
              said={`Group ${groupId} deleted.`}
              onDone={onGone}
              ask={{
                title: `Delete group ${group.groupName}?`,
                what: `This deletes ${groupId}. Its ${group.memberCount} members remain as users.`,
              }}
            >
              Delete group
            </Act>
          </Group>
        </>
      )}
    </Loaded>
  );
}

type OfGroup = Omit<InputOf<'userGroups.addUsers'>, 'userIds'>;

function Members({ of, userIds }: { of: OfGroup; userIds: string[] }) {
  return (
    <Section
      title="Members"
      actions={
        <FormButton
          act="Add"
          fields={[{ name: 'userId', label: 'User', kind: 'user', required: true }]}
          submit={(call, { userId }: { userId: string }) =>
            call('userGroups.addUsers', { ...of, userIds: [userId] })
          }
          said={({ userId }) => `${userId} added to the group.`}
        >
          Add member
        </FormButton>
      }
    >
      <List listStyleType="none" spacing={4}>
        {userIds.length === 0 && <Text size="sm">No members yet.</Text>}
        {userIds.slice(0, SHOWN).map((userId) => (
          <List.Item key={userId}>
            <Group gap="xs">
              <SearchLink changes={{ open: `user:${userId}` }}>{userId}</SearchLink>
              <Act
                size="compact-xs"
                run={(call) => call('userGroups.deleteUsers', { ...of, userIds: [userId] })}
                said={`${userId} removed from the group.`}
                ask={{
                  title: `Remove ${userId} from the group?`,
                  what: `${userId} leaves ${of.organizationUserGroupId}, but remains a user.`,
                }}
              >
                Remove
              </Act>
            </Group>
          </List.Item>
        ))}
      </List>
      {userIds.length > SHOWN && (
        <Note>
          Showing the first {SHOWN} of {userIds.length}.
        </Note>
      )}
    </Section>
  );
}
