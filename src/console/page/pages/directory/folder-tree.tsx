import { ActionIcon, Button, Group, Stack, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import type { Folder } from '../../../../client/index.ts';
import { usePages, useRead } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { AccessTypeBadge } from '../../parts/access-type.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/text.tsx';

/** How many folders of a level are drawn before one asks for more. */
const STEP = 100;

/** The folders of an organization. What is below a folder is read when it is unfolded. */
export function FolderTree({ organizationId }: { organizationId: string }) {
  const [{ folder }, change] = usePageSearch();
  const list = usePages('folders.get', { organizationId, maxDepth: 1 });
  return (
    <Stack gap={4}>
      <UnstyledButton
        className="directory-folder"
        data-chosen={folder === undefined || undefined}
        onClick={() => change({ folder: undefined }, 'push')}
      >
        All documents
      </UnstyledButton>
      <Loaded query={list.query}>
        {(folders) => (
          <>
            {folders.length === 0 && (
              <Note>No folders yet. Everything in a folder has the same access.</Note>
            )}
            <Level organizationId={organizationId} folders={folders} />
          </>
        )}
      </Loaded>
      {list.hasMore && (
        <Button size="compact-xs" variant="subtle" onClick={list.readMore}>
          Load more folders
        </Button>
      )}
    </Stack>
  );
}

interface LevelProps {
  organizationId: string;
  folders: readonly Folder[];
}

function Level({ organizationId, folders }: LevelProps) {
  const [shown, setShown] = useState(STEP);
  return (
    <ul className="directory-level">
      {folders.slice(0, shown).map((folder) => (
        <FolderNode key={folder.folderId} organizationId={organizationId} folder={folder} />
      ))}
      {folders.length > shown && (
        <li>
          <Button size="compact-xs" variant="subtle" onClick={() => setShown(shown + STEP)}>
            Show {Math.min(STEP, folders.length - shown)} more of {folders.length}
          </Button>
        </li>
      )}
    </ul>
  );
}

function FolderNode({ organizationId, folder }: { organizationId: string; folder: Folder }) {
  const { folderId, folderName, accessType, subfolders = [] } = folder;
  const [{ folder: chosen }, change] = usePageSearch();
  const [isUnfolded, setUnfolded] = useState(false);
  const isLeaf = subfolders.length === 0;
  return (
    <li>
      <Group gap={2} wrap="nowrap">
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          disabled={isLeaf}
          bg={isLeaf ? 'transparent' : undefined}
          aria-label={`${isUnfolded ? 'Collapse' : 'Expand'} ${folderName}`}
          aria-expanded={isUnfolded}
          onClick={() => setUnfolded(!isUnfolded)}
        >
          {!isLeaf && <Icon name={isUnfolded ? 'down' : 'right'} size={14} />}
        </ActionIcon>
        <UnstyledButton
          className="directory-folder"
          data-chosen={chosen === folderId || undefined}
          aria-current={chosen === folderId || undefined}
          onClick={() => change({ folder: folderId }, 'push')}
        >
          {folderName}
        </UnstyledButton>
        <AccessTypeBadge type={accessType} />
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          aria-label={`Details of folder ${folderName}`}
          onClick={() => change({ open: `folder:${folderId}` }, 'push')}
        >
          Details
        </Button>
      </Group>
      {isUnfolded && <Below organizationId={organizationId} folderId={folderId} />}
    </li>
  );
}

function Below({ organizationId, folderId }: { organizationId: string; folderId: string }) {
  // Two levels, so that each of the folders shows whether it can be unfolded.
  const query = useRead('folders.get', { organizationId, folderId, maxDepth: 2 });
  return (
    <Loaded query={query} lines={1}>
      {({ data: [folder] }) => (
        <Level organizationId={organizationId} folders={folder?.subfolders ?? []} />
      )}
    </Loaded>
  );
}
