import { Grid, Group, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useKey } from '../../api/key.ts';
import { usePages } from '../../api/use-pages.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { ACCESS_TYPES, AccessTypeBadge } from '../../parts/access-type.tsx';
import { ActButton } from '../../parts/act-button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PagedRows } from '../../parts/paged-rows.tsx';
import { FolderTree } from './folder-tree.tsx';
import { useOpened } from './opened.ts';
import { requireDone } from './outcomes.ts';
import { useRenew } from './use-renew.ts';

/** The folder tree, and beside it the documents of the chosen folder or of all. */
export function DocumentsTab({ organizationId }: { organizationId: string }) {
  const [{ folder }] = usePageSearch();
  const [adding, setAdding] = useState<'folder' | 'document'>();
  return (
    <>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Group justify="space-between" mb="xs">
            <Title order={3} size="h5">
              Folders
            </Title>
            <ActButton size="compact-sm" variant="default" onClick={() => setAdding('folder')}>
              Add folder
            </ActButton>
          </Group>
          <FolderTree organizationId={organizationId} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Group justify="space-between" mb="xs">
            <Title order={3} size="h5">
              {folder ? `Documents in ${folder}` : 'All documents'}
            </Title>
            <ActButton
              size="compact-sm"
              leftSection={<Icon name="plus" size={14} />}
              onClick={() => setAdding('document')}
            >
              Add document
            </ActButton>
          </Group>
          <DocumentList organizationId={organizationId} folderId={folder} />
        </Grid.Col>
      </Grid>
      {adding === 'document' && (
        <AddDocument organizationId={organizationId} onClose={() => setAdding(undefined)} />
      )}
      {adding === 'folder' && (
        <AddFolder organizationId={organizationId} onClose={() => setAdding(undefined)} />
      )}
    </>
  );
}

function DocumentList({
  organizationId,
  folderId,
}: {
  organizationId: string;
  folderId: string | undefined;
}) {
  const { apiKey, client } = useKey();
  const [opened] = useOpened();
  const input = { organizationId, ...(folderId && { folderId }) };
  const list = usePages(['directory', apiKey, 'documents', input], (page, options) =>
    client.documents.get({ ...input, ...page }, options),
  );
  return (
    <PagedRows
      list={list}
      label="Documents"
      keyOf={(row) => row.id}
      columns={[
        { head: 'Name', cell: (row) => row.documentName },
        {
          head: 'ID',
          cell: (row) => <span className="console-mono">{row.id}</span>,
          onPhones: false,
        },
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
      isOpen={(row) => opened?.kind === 'document' && opened.id === row.id}
      empty={
        <Empty title={folderId ? 'This folder is empty' : 'No documents yet'}>
          Add one here, or from your server with documents.add. A document must exist before an
          editor can connect to it.
        </Empty>
      }
    />
  );
}

interface AddProps {
  organizationId: string;
  onClose: () => void;
}

function AddDocument({ organizationId, onClose }: AddProps) {
  const { client } = useKey();
  const renew = useRenew();
  const [{ folder = '' }] = usePageSearch();
  return (
    <FormDialog
      title="Add document"
      act="Add"
      fields={[
        { name: 'documentId', label: 'ID', about: 'Your ID for it.', required: true },
        { name: 'documentName', label: 'Name', about: 'Defaults to the ID.' },
        {
          name: 'folderId',
          label: 'Folder',
          about: 'Folder ID. Leave empty for none.',
          initial: folder,
        },
        {
          name: 'accessType',
          label: 'Access',
          about: 'Inside a folder, the folder decides. Leave empty for the default of the key.',
          options: ACCESS_TYPES,
        },
      ]}
      submit={async ({ documentId = '', documentName, folderId, accessType }) =>
        requireDone(
          await client.documents.add({
            organizationId,
            ...(folderId && { folderId }),
            documents: [
              {
                documentId,
                ...(documentName && { documentName }),
                ...(accessType && { accessType: accessType as 'public' }),
              },
            ],
          }),
        )
      }
      onDone={({ documentId }) => {
        onClose();
        renew(`Document ${documentId} added.`);
      }}
      onClose={onClose}
    />
  );
}

function AddFolder({ organizationId, onClose }: AddProps) {
  const { client } = useKey();
  const renew = useRenew();
  const [{ folder = '' }] = usePageSearch();
  return (
    <FormDialog
      title="Add folder"
      act="Add"
      fields={[
        { name: 'folderId', label: 'ID', about: 'Your ID for it.', required: true },
        { name: 'folderName', label: 'Name', about: 'Defaults to the ID.' },
        {
          name: 'parentFolderId',
          label: 'Parent folder',
          about: 'Folder ID. Leave empty for the top level.',
          initial: folder,
        },
        {
          name: 'accessType',
          label: 'Access',
          about:
            'Leave empty to inherit from the parent folder. At the top level, the default is public.',
          options: ACCESS_TYPES,
        },
      ]}
      submit={async ({ folderId = '', folderName, parentFolderId, accessType }) =>
        requireDone(
          await client.folders.add({
            organizationId,
            folders: [
              {
                folderId,
                ...(folderName && { folderName }),
                ...(parentFolderId && { parentFolderId }),
                ...(accessType && { accessType: accessType as 'public' }),
              },
            ],
          }),
        )
      }
      onDone={({ folderId }) => {
        onClose();
        renew(`Folder ${folderId} added.`);
      }}
      onClose={onClose}
    />
  );
}
