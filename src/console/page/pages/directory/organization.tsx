import { Grid, Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Organization as OrganizationData } from '../../../../client/index.ts';
import { firstOf, usePages, useRead } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { AccessTypeBadge } from '../../parts/access-type.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { Loaded, Note, nameOf } from '../../parts/basics.tsx';
import { exportOrganization } from '../../parts/downloads.ts';
import { FormButton, type FormButtonProps } from '../../parts/form.tsx';
import { PageLink } from '../../parts/links.tsx';
import { PageTabs } from '../../parts/page.tsx';
import { PagedRows } from '../../parts/rows.tsx';
import {
  accessTypeField,
  folderField,
  idAndNameFields,
  nameField,
  userFields,
} from './entry-fields.ts';
import { FolderTree } from './folder-tree.tsx';

export function Organization({ organizationId }: { organizationId: string }) {
  const ref: OrganizationRef = { organizationId };
  const input = { organizationIds: [organizationId] };
  const query = useRead('organizations.get', input, { select: firstOf });
  return (
    <Loaded query={query} noun={`Organization ${organizationId}`}>
      {(organization) => (
        <>
          <Group justify="space-between">
            <Title size="h3">{organization.organizationName}</Title>
            <OrganizationActions organization={organization} />
          </Group>
          <PageTabs
            tabs={[
              { value: 'documents', label: 'Documents', content: <Documents {...ref} /> },
              { value: 'users', label: 'Users', content: <Users {...ref} /> },
              { value: 'groups', label: 'Groups', content: <Groups {...ref} /> },
            ]}
          />
        </>
      )}
    </Loaded>
  );
}

function OrganizationActions({ organization }: { organization: OrganizationData }) {
  const { organizationId, organizationName } = organization;
  const [, changeSearch] = usePageSearch();
  return (
    <Group gap="xs">
      <ActionButton
        label="Export"
        run={(call) => exportOrganization(call, organizationId)}
        notice={`The archive of ${organizationId} was downloaded.`}
      />
      <FormButton
        label="Rename"
        title={`Rename ${organizationId}`}
        submitLabel="Rename"
        fields={nameField('organization', organizationName)}
        submit={(call, values: { organizationName: string }) =>
          call('organizations.update', { organizations: [{ organizationId, ...values }] })
        }
        notice="Organization renamed."
      />
      <ActionButton
        label="Delete"
        run={(call) => call('organizations.delete', { organizationIds: [organizationId] })}
        notice={`Organization ${organizationId} is being deleted.`}
        onDone={() => changeSearch({ organization: undefined, open: undefined, tab: undefined })}
        question={`Delete organization ${organizationName}?`}
        consequences={`This deletes ${organizationId} with its folders, documents, live content, comments, groups and roles. This cannot be undone.`}
        confirmLabel="Delete organization"
      />
    </Group>
  );
}

interface OrganizationRef {
  organizationId: string;
}

interface ListHeadProps<Answer> extends Omit<FormButtonProps<Answer>, 'submitLabel'> {
  children: ReactNode;
}

/** The head of a list, with a button that adds an entry. */
function ListHead<Answer>({ children, ...form }: ListHeadProps<Answer>) {
  return (
    <Group justify="space-between" mb="xs">
      {children}
      <FormButton submitLabel="Add" {...form} />
    </Group>
  );
}

type FolderValues = { folderId: string; parentFolderId: string };
type DocumentValues = { documentId: string; folderId: string };

/** The folder tree, and next to it the documents of the chosen folder or of all folders. */
function Documents({ organizationId }: OrganizationRef) {
  const [{ folder }] = usePageSearch();
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 4 }}>
        <ListHead
          label="Add folder"
          fields={[
            ...idAndNameFields('folder'),
            folderField('parentFolderId', folder),
            accessTypeField(
              'Leave empty to inherit from the parent folder. At the top level, the default is public.',
            ),
          ]}
          submit={(call, { folderId, parentFolderId }: FolderValues, entered) =>
            call('folders.add', {
              organizationId,
              folders: [{ ...entered, folderId, parentFolderId: parentFolderId || undefined }],
            })
          }
          notice={({ folderId }) => `Folder ${folderId} added.`}
        >
          <Title order={3}>Folders</Title>
        </ListHead>
        <FolderTree organizationId={organizationId} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 8 }}>
        <ListHead
          label="Add document"
          fields={[
            ...idAndNameFields('document'),
            folderField('folderId', folder),
            accessTypeField(
              'Inside a folder, the folder decides who has access. Leave empty for the default of the API key.',
            ),
          ]}
          submit={(call, values: DocumentValues, { folderId: _, ...entered }) =>
            call('documents.add', {
              organizationId,
              folderId: values.folderId || undefined,
              documents: [{ ...entered, documentId: values.documentId }],
            })
          }
          notice={({ documentId }) => `Document ${documentId} added.`}
        >
          <Group gap="md">
            <Title order={3}>{folder ? `Documents in ${folder}` : 'All documents'}</Title>
            {folder && (
              <PageLink
                page="directory"
                search={{ organization: organizationId, folder, open: `folder:${folder}` }}
                text="Folder details"
              />
            )}
          </Group>
        </ListHead>
        <DocumentList organizationId={organizationId} folderId={folder} />
      </Grid.Col>
    </Grid>
  );
}

const DocumentList = ({ organizationId, folderId }: OrganizationRef & { folderId?: string }) => (
  <PagedRows
    list={usePages('documents.get', { organizationId, folderId })}
    label="Documents"
    keyOf={(row) => row.id}
    columns={[
      { head: 'Name', cell: (row) => row.documentName },
      { head: 'ID', cell: (row) => row.id, isId: true, wideOnly: true },
      {
        head: 'Access',
        cell: (row) => (
          <Group gap={6} wrap="nowrap">
            <AccessTypeBadge type={row.accessType} />
            {row.disabled && <Text size="xs">disabled</Text>}
          </Group>
        ),
        width: '11rem',
      },
    ]}
    opens={(row) => ({ open: `document:${row.id}` })}
    emptyTitle={folderId ? 'This folder is empty' : 'No documents yet'}
    emptyText="Add one here, or with documents.add. Editors connect only to documents that exist."
  />
);

/** The users who have a role on the organization itself. */
const Users = ({ organizationId }: OrganizationRef) => (
  <>
    <ListHead
      label="Add user"
      fields={[
        { name: 'userId', label: 'ID', description: 'Your ID for the user.', required: true },
        ...userFields({}),
      ]}
      submit={(call, { userId }: { userId: string }, entered) =>
        call('users.add', { organizationId, users: [{ ...entered, userId }] })
      }
      notice={({ userId }) => `User ${userId} added.`}
    >
      <Note>
        Users with a role on this organization. For a folder or document, open it and choose “Who
        has access, and why”.
      </Note>
    </ListHead>
    <PagedRows
      list={usePages('users.get', { organizationId })}
      label="Users"
      keyOf={(row) => row.userId}
      columns={[
        { head: 'Name', cell: nameOf },
        { head: 'Email', cell: (row) => row.email ?? '–', wideOnly: true },
        { head: 'ID', cell: (row) => row.userId, isId: true },
        { head: 'Role', cell: (row) => row.accessRole ?? '–', width: '6rem' },
      ]}
      opens={(row) => ({ open: `user:${row.userId}` })}
      emptyTitle="No users yet"
      emptyText="Add one here, or with users.add."
    />
  </>
);

const Groups = ({ organizationId }: OrganizationRef) => (
  <>
    <ListHead
      label="Add group"
      fields={idAndNameFields('group')}
      submit={(call, { groupId }: { groupId: string }, entered) =>
        call('userGroups.add', {
          organizationId,
          organizationUserGroups: [{ ...entered, groupId }],
        })
      }
      notice={({ groupId }) => `Group ${groupId} added.`}
    >
      <Note>
        Members of a group are mentioned and subscribed together. Groups do not grant access.
      </Note>
    </ListHead>
    <PagedRows
      list={usePages('userGroups.get', { organizationId })}
      label="Groups"
      keyOf={(row) => row.groupId}
      columns={[
        { head: 'Name', cell: (row) => row.groupName },
        { head: 'ID', cell: (row) => row.groupId, isId: true },
        { head: 'Members', cell: (row) => row.memberCount.toLocaleString('en'), width: '7rem' },
      ]}
      opens={(row) => ({ open: `group:${row.groupId}` })}
      emptyTitle="No groups yet"
      emptyText="Add one here, or with userGroups.add."
    />
  </>
);
