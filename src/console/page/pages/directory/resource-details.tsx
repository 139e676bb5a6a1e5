import { Group } from '@mantine/core';
import type { Document } from '../../../../client/index.ts';
import { firstOf, type KeyCall, useRead } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { AccessTypeBadge } from '../../parts/access-type.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { CopyText, Facts, Json, Loaded, Time } from '../../parts/basics.tsx';
import { FormButton, type Values } from '../../parts/form.tsx';
import { PageLink } from '../../parts/links.tsx';
import { accessTypeField, folderField, nameField, type OpenedEntry } from './entry-fields.ts';

export function DocumentDetails({ id: documentId, organizationId, onDeleted }: OpenedEntry) {
  const input = { organizationId, documentIds: [documentId] };
  const documents = useRead('documents.get', input, { select: firstOf<Document> });
  const resourcePath = useRead('console.directory.resourcePath', { organizationId, documentId });
  const resourceSearch = { organization: organizationId, document: documentId };
  const { path = [], createdAt, updatedAt } = resourcePath.data ?? {};
  const folders = path.filter(({ type }) => type === 'folder');
  const parentId = folders.at(-1)?.id ?? '';
  const update = async (call: KeyCall, _: Values, { folderId, ...changes }: Values) => {
    if (folderId !== undefined) {
      await call('documents.move', { ...input, folderId: String(folderId) || null });
    }
    return call('documents.update', { organizationId, documents: [{ documentId, ...changes }] });
  };
  return (
    <Loaded query={documents} noun="Document">
      {(document) => (
        <>
          <Facts
            facts={{
              Name: document.documentName,
              ID: <CopyText text={document.id} />,
              Access: <AccessTypeBadge type={document.accessType} />,
              Folder: folders.map(({ name }) => name).join(' / ') || 'Top level',
              Added: createdAt && <Time at={createdAt} />,
              Changed: updatedAt && <Time at={updatedAt} />,
              Disabled: document.disabled ? 'Yes' : undefined,
            }}
          />
          <Group gap="md">
            <PageLink page="access" search={resourceSearch} text="Who has access, and why" />
            <PageLink page="live-documents" search={resourceSearch} text="Live document" />
            <PageLink page="feedback" search={{ organizationId, documentId }} text="Comments" />
            <PageLink page="events" search={{ organizationId, documentId }} text="Events" />
          </Group>
          {resourcePath.data && (
            <Group gap="xs">
              <FormButton
                label="Edit or move"
                title={`Edit ${documentId}`}
                fields={[
                  nameField('document', document.documentName),
                  folderField('folderId', parentId),
                  parentId
                    ? accessTypeField('The folder of this document decides who has access.')
                    : accessTypeField(undefined, document.accessType),
                ]}
                submit={update}
                notice="Document saved."
              />
              <ActionButton
                label="Delete"
                run={(call) => call('documents.delete', input)}
                notice={`Document ${documentId} deleted.`}
                onDone={onDeleted}
                question={`Delete document ${document.documentName}?`}
                consequences={`This deletes ${documentId} with its live content, versions, comments, recordings and roles. This cannot be undone.`}
              />
            </Group>
          )}
          <Json value={document} label="Document as JSON" />
        </>
      )}
    </Loaded>
  );
}

export function FolderDetails({ id: folderId, organizationId }: OpenedEntry) {
  const [, changeSearch] = usePageSearch();
  const input = { organizationId, folderId, maxDepth: 0 };
  const update = (call: KeyCall, _: Values, { parentFolderId, ...changes }: Values) => {
    const newParent =
      parentFolderId === undefined ? {} : { parentFolderId: parentFolderId || null };
    const folder = { folderId, ...changes, ...newParent } as { folderId: string };
    return call('folders.update', { organizationId, folders: [folder] });
  };
  return (
    <Loaded query={useRead('folders.get', input, { select: firstOf })} noun="Folder">
      {(folder) => (
        <>
          <Facts
            facts={{
              Name: folder.folderName,
              ID: <CopyText text={folder.folderId} />,
              Access: <AccessTypeBadge type={folder.accessType} />,
              Parent: folder.ancestors.join(' / ') || 'Top level',
            }}
          />
          <PageLink
            page="access"
            search={{ organization: organizationId, folder: folderId }}
            text="Who has access, and why"
          />
          <Group gap="xs">
            <FormButton
              label="Edit or move"
              title={`Edit ${folderId}`}
              fields={[
                nameField('folder', folder.folderName),
                folderField('parentFolderId', folder.parentFolderId),
                accessTypeField(
                  'The current access type is set here or on a parent folder. Leave empty to keep it.',
                ),
              ]}
              submit={update}
              notice="Folder saved."
            />
            <ActionButton
              label="Delete"
              run={(call) => call('folders.delete', { organizationId, folderId })}
              notice={`Folder ${folderId} is being deleted.`}
              onDone={() => changeSearch({ open: undefined, folder: undefined })}
              question={`Delete folder ${folder.folderName}?`}
              consequences={`This deletes ${folderId} with all folders and documents in it. This cannot be undone.`}
            />
          </Group>
        </>
      )}
    </Loaded>
  );
}
