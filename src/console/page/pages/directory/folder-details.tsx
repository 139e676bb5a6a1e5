import { Group } from '@mantine/core';
import { firstOf, type KeyCall, useRead } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { AccessTypeBadge } from '../../parts/access-type.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { CopyText, Facts, Loaded } from '../../parts/basics.tsx';
import { FormButton, type Values } from '../../parts/form.tsx';
import { PageLink } from '../../parts/links.tsx';
import { accessTypeField, folderField, nameField, type OpenedEntry } from './entry-fields.ts';

export function FolderDetails({ id: folderId, organizationId }: OpenedEntry) {
  const [, changeSearch] = usePageSearch();
  const input = { organizationId, folderId, maxDepth: 0 };
  const update = (call: KeyCall, _: Values, { parentFolderId, ...changes }: Values) => {
    const moved = parentFolderId === undefined ? {} : { parentFolderId: parentFolderId || null };
    const folder = { folderId, ...changes, ...moved } as { folderId: string };
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
                  `Currently ${folder.accessType}, set here or on a parent folder. Leave empty to keep it.`,
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
              consequences={`This deletes ${folderId} with all folders and documents in it. It cannot be undone.`}
            />
          </Group>
        </>
      )}
    </Loaded>
  );
}
