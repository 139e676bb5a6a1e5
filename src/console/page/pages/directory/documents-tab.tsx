import { Button, Grid, Group, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useKey } from '../../api/key.ts';
import { usePages } from '../../api/use-pages.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { ACCESS_TYPES, AccessTypeBadge } from '../../parts/access-type.tsx';
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
            <Button size="compact-sm" variant="default" onClick={() => setAdding('folder')}>
              Add a folder
            </Button>
          </Group>
          <FolderTree organizationId={organizationId} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Group justify="space-between" mb="xs">
            <Title order={3} size="h5">
              {folder ? `Documents in ${folder}` : 'All documents'}
            </Title>
            <Button
              size="compact-sm"
              leftSection={<Icon name="plus" size={14} />}
              onClick={() => setAdding('document')}
            >
              Add a document
            </Button>
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
  const [opened, open] = useOpened();
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
          head: 'Id',
          cell: (row) => <span className="console-mono">{row.id}</span>,
          onPhones: false,
        },
        {
          head: 'Open to',
          cell: (row) => (
            <Group gap={6} wrap="nowrap">
              <AccessTypeBadge type={row.accessType} />
              {row.disabled && <Text size="xs">disabled</Text>}
            </Group>
          ),
          width: '11rem',
        },
      ]}
      onOpen={(row) => open({ kind: 'document', id: row.id })}
      isOpen={(row) => opened?.kind === 'document' && opened.id === row.id}
      empty={
        <Empty title={folderId ? 'This folder has no documents' : 'There are no documents yet'}>
          Add one here, or let your server do it: documents.add. An editor that connects needs its
          document to exist.
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
      title="Add a document"
      act="Add"
      fields={[
        { name: 'documentId', label: 'Id', about: 'Your own id of it.', required: true },
        { name: 'documentName', label: 'Name', about: 'The id, when there is none.' },
        { name: 'folderId', label: 'Folder', about: 'An id; none: no folder.', initial: folder },
        {
          name: 'accessType',
          label: 'Open to',
          about: "In a folder, the folder's counts. None: what the key has as its default.",
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
        renew(`The document ${documentId} was added.`);
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
      title="Add a folder"
      act="Add"
      fields={[
        { name: 'folderId', label: 'Id', about: 'Your own id of it.', required: true },
        { name: 'folderName', label: 'Name', about: 'The id, when there is none.' },
        {
          name: 'parentFolderId',
          label: 'Within the folder',
          about: 'An id; none: at the root.',
          initial: folder,
        },
        {
          name: 'accessType',
          label: 'Open to',
          about: 'None: what the folder above is open to; at the root, it is public.',
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
        renew(`The folder ${folderId} was added.`);
      }}
      onClose={onClose}
    />
  );
}
