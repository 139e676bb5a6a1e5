import { Group, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useKey } from '../../api/key.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { done } from '../../parts/notices.ts';
import { PageLink } from '../../parts/page-link.tsx';
import { Time } from '../../parts/time.tsx';
import { DeleteButton } from './delete-button.tsx';
import { useOpened } from './opened.ts';
import { requireDone } from './outcomes.ts';
import { useRenew } from './use-renew.ts';
import { userFields, userOf } from './users-tab.tsx';

interface UserDetailsProps {
  userId: string;
  organizationId: string | undefined;
}

/** A person with all roles and groups, in whatever organization. */
export function UserDetails({ userId, organizationId }: UserDetailsProps) {
  const { apiKey, own, client } = useKey();
  const query = useQuery({
    queryKey: ['directory', apiKey, 'user', userId],
    queryFn: ({ signal }) => own.directory.user.query({ userId }, { signal }),
  });
  return (
    <Loaded query={query}>
      {({ name, email, createdAt, grants, groups }) => (
        <>
          <Facts
            facts={{
              Name: name ?? 'None',
              ID: <CopyText text={userId} />,
              Email: email ?? 'None',
              Added: <Time at={createdAt} />,
            }}
          />
          <Group gap="md">
            <PageLink page="feedback" search={{ user: userId }}>
              Notifications
            </PageLink>
            <PageLink page="access" search={{ user: userId, organization: organizationId }}>
              Check access
            </PageLink>
          </Group>
          <Group gap="xs">
            {organizationId && (
              <Acts userId={userId} organizationId={organizationId} name={name} email={email} />
            )}
            <DeleteButton
              title={`Revoke the tokens of ${name ?? userId}?`}
              what="All user tokens of this person end at once. Open documents and subscriptions are closed within a second. Roles stay, and your server can make a new token at any time."
              act="Revoke tokens"
              remove={() => client.auth.revokeTokens({ userId })}
              onDone={() => done(`The tokens of ${userId} were revoked.`)}
            />
          </Group>
          <Title order={3} size="h5">
            Roles
          </Title>
          {grants.length === 0 ? (
            <Text size="sm" c="dimmed">
              No roles. Public documents can be viewed without one.
            </Text>
          ) : (
            <Table.ScrollContainer minWidth={420}>
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>On</Table.Th>
                    <Table.Th>Organization</Table.Th>
                    <Table.Th>Role</Table.Th>
                    <Table.Th>Until</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {grants.map((grant) => (
                    <Table.Tr
                      key={`${grant.organizationId} ${grant.resourceType} ${grant.resourceId}`}
                    >
                      <Table.Td>
                        {grant.resourceType === 'organization' ? (
                          'Organization'
                        ) : (
                          <PageLink
                            page="access"
                            search={{
                              organization: grant.organizationId,
                              user: userId,
                              [grant.resourceType]: grant.resourceId,
                            }}
                          >
                            {`${grant.resourceType} ${grant.resourceId}`}
                          </PageLink>
                        )}
                      </Table.Td>
                      <Table.Td>{grant.organizationId}</Table.Td>
                      <Table.Td>{grant.accessRole}</Table.Td>
                      <Table.Td>
                        {grant.expiresAt === null ? 'No end' : <Time at={grant.expiresAt * 1000} />}
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          )}
          <Title order={3} size="h5">
            Groups
          </Title>
          <Text size="sm" c={groups.length === 0 ? 'dimmed' : undefined}>
            {groups.length === 0
              ? 'No groups'
              : groups
                  .map((group) => `${group.groupName ?? group.groupId} (${group.organizationId})`)
                  .join(', ')}
          </Text>
          {organizationId && (
            <div>
              <CopyCurl operation="users.get" input={{ organizationId, userIds: [userId] }} />
            </div>
          )}
        </>
      )}
    </Loaded>
  );
}

interface ActsProps {
  userId: string;
  organizationId: string;
  name: string | null;
  email: string | null;
}

function Acts({ userId, organizationId, name, email }: ActsProps) {
  const { client } = useKey();
  const renew = useRenew();
  const [, open] = useOpened();
  const [isChanging, setChanging] = useState(false);
  return (
    <>
      <ActButton size="xs" variant="default" onClick={() => setChanging(true)}>
        Edit
      </ActButton>
      <DeleteButton
        title={`Remove ${name ?? userId} from ${organizationId}?`}
        what={`${userId} loses all roles and groups in ${organizationId}. Users without any other role or group are deleted.`}
        act="Remove from organization"
        remove={async () =>
          requireDone(await client.users.delete({ organizationId, userIds: [userId] }))
        }
        onDone={() => {
          open(undefined);
          renew(`${userId} removed from ${organizationId}.`);
        }}
      />
      {isChanging && (
        <FormDialog
          title={`Edit ${userId}`}
          act="Save"
          fields={userFields({ name: name ?? '', email: email ?? '' })}
          submit={async (values) =>
            requireDone(
              await client.users.update({
                organizationId,
                users: [userOf({ ...values, userId })],
              }),
            )
          }
          onDone={() => {
            setChanging(false);
            renew('User saved.');
          }}
          onClose={() => setChanging(false)}
        />
      )}
    </>
  );
}
