import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AccessType, Folder } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { ACCESS_TYPES, AccessTypeBadge } from '../../parts/access-type.tsx';
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
                Id: <CopyText text={folder.folderId} />,
                'Open to': <AccessTypeBadge type={folder.accessType} />,
                Within: folder.ancestors.join(' / ') || 'the root',
              }}
            />
            <PageLink page="access" search={{ organization: organizationId, folder: folderId }}>
              Who may open it, and why
            </PageLink>
            <Acts organizationId={organizationId} folder={folder} />
            <div>
              <CopyCurl operation="folders.get" input={input} />
            </div>
          </>
        ) : (
          <Empty title="There is no such folder">It may have been deleted.</Empty>
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
      <Button size="xs" variant="default" onClick={() => setChanging(true)}>
        Change or move
      </Button>
      <DeleteButton
        title={`Delete the folder ${folderName}?`}
        what={`${folderId} goes with all folders and documents below it, and what is in them. Nothing of it can come back.`}
        act="Delete"
        remove={async () => requireDone(await client.folders.delete({ organizationId, folderId }))}
        onDone={() => {
          change({ open: undefined, folder: undefined });
          renew(`The folder ${folderId} is being deleted.`);
        }}
      />
      {isChanging && (
        <FormDialog
          title={`Change ${folderId}`}
          act="Save"
          fields={[
            { name: 'folderName', label: 'Name', initial: folderName, required: true },
            {
              name: 'parentFolderId',
              label: 'Within the folder',
              about: 'An id; none: at the root.',
              initial: parentFolderId ?? '',
            },
            {
              name: 'accessType',
              label: 'Open to',
              about: `It is ${accessType} now, by itself or by a folder above it. None: unchanged.`,
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
            renew('The folder was changed.');
          }}
          onClose={() => setChanging(false)}
        />
      )}
    </Group>
  );
}
