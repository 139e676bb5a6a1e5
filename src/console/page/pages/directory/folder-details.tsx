import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AccessType, Folder } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { ACCESS_TYPES, AccessTypeBadge } from '../../parts/access-type.tsx';
import { ActButton } from '../../parts/act-button.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Facts } from '../../parts/facts.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { DeleteButton } from './delete-button.tsx';
import { requireDone } from './outcomes.ts';
import { useRenew } from './use-renew.ts';

interface FolderDetailsProps {
  organizationId: string;
  folderId: string;
}

export function FolderDetails({ organizationId, folderId }: FolderDetailsProps) {
  const { apiKey, client } = useKey();
  const input = { organizationId, folderId, maxDepth: 0 };
  const query = useQuery({
    queryKey: ['directory', apiKey, 'folder', input],
    queryFn: ({ signal }) => client.folders.get(input, { signal }),
  });
  return (
    <Loaded query={query}>
      {({ data: [folder] }) =>
        folder ? (
          <>
            <Facts
              facts={{
                Name: folder.folderName,
                ID: <CopyText text={folder.folderId} />,
                Access: <AccessTypeBadge type={folder.accessType} />,
                Parent: folder.ancestors.join(' / ') || 'Top level',
              }}
            />
            <PageLink page="access" search={{ organization: organizationId, folder: folderId }}>
              Who has access, and why
            </PageLink>
            <Acts organizationId={organizationId} folder={folder} />
            <div>
              <CopyCurl operation="folders.get" input={input} />
            </div>
          </>
        ) : (
          <Empty title="Folder not found">It may have been deleted.</Empty>
        )
      }
    </Loaded>
  );
}

function Acts({ organizationId, folder }: { organizationId: string; folder: Folder }) {
  const { client } = useKey();
  const renew = useRenew();
  const [, change] = usePageSearch();
  const [isChanging, setChanging] = useState(false);
  const { folderId, folderName, accessType, parentFolderId } = folder;
  return (
    <Group gap="xs">
      <ActButton size="xs" variant="default" onClick={() => setChanging(true)}>
        Edit or move
      </ActButton>
      <DeleteButton
        title={`Delete folder ${folderName}?`}
        what={`This deletes ${folderId} with all folders and documents in it. It cannot be undone.`}
        act="Delete"
        remove={async () => requireDone(await client.folders.delete({ organizationId, folderId }))}
        onDone={() => {
          change({ open: undefined, folder: undefined });
          renew(`Folder ${folderId} is being deleted.`);
        }}
      />
      {isChanging && (
        <FormDialog
          title={`Edit ${folderId}`}
          act="Save"
          fields={[
            { name: 'folderName', label: 'Name', initial: folderName, required: true },
            {
              name: 'parentFolderId',
              label: 'Parent folder',
              about: 'Folder ID. Leave empty for the top level.',
              initial: parentFolderId ?? '',
            },
            {
              name: 'accessType',
              label: 'Access',
              about: `Currently ${accessType}, set here or on a parent folder. Leave empty to keep it.`,
              options: ACCESS_TYPES,
            },
          ]}
          submit={async (values) =>
            requireDone(
              await client.folders.update({
                organizationId,
                folders: [
                  {
                    folderId,
                    folderName: values.folderName,
                    parentFolderId: values.parentFolderId || null,
                    ...(values.accessType && { accessType: values.accessType as AccessType }),
                  },
                ],
              }),
            )
          }
          onDone={() => {
            setChanging(false);
            renew('Folder saved.');
          }}
          onClose={() => setChanging(false)}
        />
      )}
    </Group>
  );
}
