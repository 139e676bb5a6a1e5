import { Group, Text } from '@mantine/core';
import type { InputOf } from '../../api/client.ts';
import { firstOf, useRead } from '../../api/read.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CopyText, Facts, Loaded, Note } from '../../parts/basics.tsx';
import { FormButton } from '../../parts/form.tsx';
import { PageLink } from '../../parts/links.tsx';
import { Section } from '../../parts/panel.tsx';
import type { OpenedEntry } from './entry-fields.ts';

/** How many members are listed. */
const MAX_SHOWN = 200;

export function GroupDetails({ id: groupId, organizationId, onDeleted }: OpenedEntry) {
  const input = { organizationId, organizationUserGroupIds: [groupId] };
  return (
    <Loaded query={useRead('userGroups.get', input, { select: firstOf })} noun="Group">
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
            group={{ organizationId, organizationUserGroupId: groupId }}
            userIds={group.userIds ?? []}
          />
          <Group>
            <ActionButton
              label="Delete group"
              run={(call) => call('userGroups.delete', input)}
              notice={`Group ${groupId} deleted.`}
              onDone={onDeleted}
              question={`Delete group ${group.groupName}?`}
              consequences={`This deletes ${groupId}, but not the users in it. This cannot be undone.`}
            />
          </Group>
        </>
      )}
    </Loaded>
  );
}

type GroupRef = Omit<InputOf<'userGroups.addUsers'>, 'userIds'>;

function Members({ group, userIds }: { group: GroupRef; userIds: string[] }) {
  const { organizationId: organization } = group;
  return (
    <Section
      title="Members"
      actions={
        <FormButton
          label="Add member"
          submitLabel="Add"
          fields={{ name: 'userId', label: 'User', kind: 'user', required: true }}
          submit={(call, { userId }: { userId: string }) =>
            call('userGroups.addUsers', { ...group, userIds: [userId] })
          }
          notice={({ userId }) => `${userId} added to the group.`}
        />
      }
    >
      <ul className="console-list">
        {userIds.length === 0 && <Text component="li">No members yet.</Text>}
        {userIds.slice(0, MAX_SHOWN).map((userId) => (
          <li key={userId}>
            <Group gap="xs">
              <PageLink
                page="directory"
                search={{ organization, tab: 'groups', open: `user:${userId}` }}
                text={userId}
              />
              <ActionButton
                label="Remove"
                size="compact-xs"
                run={(call) => call('userGroups.deleteUsers', { ...group, userIds: [userId] })}
                notice={`${userId} removed from the group.`}
                question={`Remove ${userId} from the group?`}
                consequences={`${userId} is no longer a member of ${group.organizationUserGroupId}, but remains a user.`}
              />
            </Group>
          </li>
        ))}
      </ul>
      {userIds.length > MAX_SHOWN && (
        <Note>{`Showing the first ${MAX_SHOWN} of ${userIds.length}.`}</Note>
      )}
    </Section>
  );
}
