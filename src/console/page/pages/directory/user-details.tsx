import { Group, Text } from '@mantine/core';
import { useRead } from '../../api/read.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CopyText, Facts, Loaded, Note, Time } from '../../parts/basics.tsx';
import { exportUserData } from '../../parts/downloads.ts';
import { FormButton, type Values } from '../../parts/form.tsx';
import { PageLink } from '../../parts/links.tsx';
import { Section } from '../../parts/panel.tsx';
import { ShortTable } from '../../parts/rows.tsx';
import { type OpenedEntry, userFields } from './entry-fields.ts';

type Opened = Omit<OpenedEntry, 'organizationId'> & { organizationId: string | undefined };

/** A user with all roles and groups, in all organizations. */
export const UserDetails = ({ id: userId, organizationId, onDeleted }: Opened) => (
  <Loaded query={useRead('console.directory.user', { userId })}>
    {({ name, email, createdAt, grants, groups }) => (
      <>
        <Facts
          facts={{
            Name: name ?? 'Not set',
            ID: <CopyText text={userId} />,
            Email: email ?? 'Not set',
            Added: <Time at={createdAt} />,
          }}
        />
        <Group gap="md">
          <PageLink
            page="feedback"
            search={{ tab: 'notifications', user: userId, organizationId }}
            text="Notifications"
          />
          <PageLink
            page="access"
            search={{ user: userId, organization: organizationId }}
            text="Check access"
          />
          <PageLink page="settings" search={{ tab: 'data', user: userId }} text="Erase…" />
        </Group>
        <Group gap="xs">
          {organizationId && (
            <>
              <FormButton
                label="Edit"
                title={`Edit ${userId}`}
                fields={userFields({ name, email })}
                submit={(call, _: Values, changes) =>
                  call('users.update', { organizationId, users: [{ userId, ...changes }] })
                }
                notice="User saved."
              />
              <ActionButton
                label="Export personal data"
                run={(call) => exportUserData(call, { organizationId, userId })}
                notice={`The personal data of ${userId} was downloaded.`}
              />
              <ActionButton
                label="Remove from organization"
                run={(call) => call('users.delete', { organizationId, userIds: [userId] })}
                notice={`${userId} removed from ${organizationId}.`}
                onDone={onDeleted}
                question={`Remove ${name ?? userId} from ${organizationId}?`}
                consequences={`${userId} loses all roles and groups in ${organizationId}. If no role or group remains elsewhere, the user is deleted.`}
              />
            </>
          )}
          <ActionButton
            label="Revoke tokens"
            run={(call) => call('auth.revokeTokens', { userIds: [userId] })}
            notice={`The tokens of ${userId} were revoked.`}
            question={`Revoke the tokens of ${name ?? userId}?`}
            consequences="All tokens of this user are revoked immediately. Open documents and subscriptions close within a second. Roles stay, and your server can create a new token at any time."
          />
        </Group>
        <Section title="Roles">
          <ShortTable
            label="Roles"
            emptyText="No roles. Public documents can be viewed without one."
            rows={grants}
            keyOf={(each) => `${each.organizationId} ${each.resourceType} ${each.resourceId}`}
            minWidth={280}
            columns={[
              {
                head: 'On',
                cell: ({ resourceType, resourceId, organizationId: organization }) => (
                  <>
                    <PageLink
                      page="access"
                      search={{ organization, user: userId, [resourceType]: resourceId }}
                      text={`${resourceType} ${resourceId}`}
                    />
                    {resourceType !== 'organization' && <Note size="xs">in {organization}</Note>}
                  </>
                ),
              },
              { head: 'Role', cell: (grant) => grant.accessRole },
              {
                head: 'Expires',
                cell: ({ expiresAt }) =>
                  expiresAt === null ? 'Never' : <Time at={expiresAt * 1000} />,
              },
            ]}
          />
        </Section>
        <Section title="Groups">
          <Text c={groups.length === 0 ? 'dimmed' : undefined}>
            {groups
              .map((group) => `${group.groupName ?? group.groupId} (${group.organizationId})`)
              .join(', ') || 'No groups'}
          </Text>
        </Section>
      </>
    )}
  </Loaded>
);
