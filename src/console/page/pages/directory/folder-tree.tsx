import { Button, Group, NavLink } from '@mantine/core';
import { useState } from 'react';
import type { Folder } from '../../../../client/index.ts';
import { usePages, useRead } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { AccessTypeBadge } from '../../parts/access-type.tsx';
import { Loaded, Note } from '../../parts/basics.tsx';

/** How many folders of a level are shown before the person asks for more. */
const PAGE_SIZE = 100;

/** The folders of an organization. The content of a folder is read when it is unfolded. */
export function FolderTree({ organizationId }: { organizationId: string }) {
  const [{ folder }, changeSearch] = usePageSearch();
  const list = usePages('folders.get', { organizationId, maxDepth: 1 });
  return (
    <>
      <NavLink
        component="button"
        label="All documents"
        active={folder === undefined}
        aria-current={folder === undefined || undefined}
        onClick={() => changeSearch({ folder: undefined }, 'push')}
      />
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
    </>
  );
}

function Level({ organizationId, folders }: { organizationId: string; folders: Folder[] }) {
  const [shown, setShown] = useState(PAGE_SIZE);
  return (
    <>
      {folders.slice(0, shown).map((folder) => (
        <FolderNode key={folder.folderId} organizationId={organizationId} folder={folder} />
      ))}
      {folders.length > shown && (
        <Button size="compact-xs" variant="subtle" onClick={() => setShown(shown + PAGE_SIZE)}>
          Show {Math.min(PAGE_SIZE, folders.length - shown)} more of {folders.length}
        </Button>
      )}
    </>
  );
}

function FolderNode({ organizationId, folder }: { organizationId: string; folder: Folder }) {
  const { folderId, folderName, accessType, subfolders = [] } = folder;
  const [{ folder: chosen }, changeSearch] = usePageSearch();
  const [isUnfolded, setUnfolded] = useState(false);
  return (
    <NavLink
      component="button"
      label={
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <span className="console-cut">{folderName}</span>
          <AccessTypeBadge type={accessType} />
        </Group>
      }
      active={chosen === folderId}
      aria-current={chosen === folderId || undefined}
      onClick={() => changeSearch({ folder: folderId }, 'push')}
      aria-expanded={subfolders.length > 0 ? isUnfolded : undefined}
      opened={isUnfolded}
      onChange={setUnfolded}
    >
      {subfolders.length > 0 && (
        <div>
          {isUnfolded && <Subfolders organizationId={organizationId} folderId={folderId} />}
        </div>
      )}
    </NavLink>
  );
}

function Subfolders({ organizationId, folderId }: { organizationId: string; folderId: string }) {
  // Reads two levels, so that each folder shows whether it can be unfolded.
  return (
    <Loaded query={useRead('folders.get', { organizationId, folderId, maxDepth: 2 })} lines={1}>
      {({ data: [folder] }) => (
        <Level organizationId={organizationId} folders={folder?.subfolders ?? []} />
      )}
    </Loaded>
  );
}
