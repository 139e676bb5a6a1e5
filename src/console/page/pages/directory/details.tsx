import { usePageSearch } from '../../app/use-search.ts';
import { SidePanel } from '../../parts/side-panel.tsx';
import { DocumentDetails } from './document-details.tsx';
import { FolderDetails } from './folder-details.tsx';
import { GroupDetails } from './group-details.tsx';
import { type EntryKind, useOpened } from './opened.ts';
import { UserDetails } from './user-details.tsx';

const TITLES: Record<EntryKind, string> = {
  organization: 'Organization',
  folder: 'Folder',
  document: 'Document',
  user: 'User',
  group: 'Group',
};

/** The opened entry, beside its list. */
export function Details() {
  const [opened, open] = useOpened();
  const [{ organization }] = usePageSearch();
  const close = () => open(undefined);
  return (
    <SidePanel
      title={opened ? `${TITLES[opened.kind]} ${opened.id}` : ''}
      isOpen={opened !== undefined}
      onClose={close}
    >
      {opened?.kind === 'user' && (
        <UserDetails key={opened.id} userId={opened.id} organizationId={organization} />
      )}
      {organization && opened?.kind === 'document' && (
        <DocumentDetails key={opened.id} organizationId={organization} documentId={opened.id} />
      )}
      {organization && opened?.kind === 'folder' && (
        <FolderDetails key={opened.id} organizationId={organization} folderId={opened.id} />
      )}
      {organization && opened?.kind === 'group' && (
        <GroupDetails key={opened.id} organizationId={organization} groupId={opened.id} />
      )}
    </SidePanel>
  );
}
