import { Group } from '@mantine/core';
import type { Document } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
import { firstOf, useRead } from '../../api/read.ts';
import { ACCESS_TYPES, AccessTypeBadge } from '../../parts/access-type.tsx';
import { Act } from '../../parts/act.tsx';
import { Json } from '../../parts/code.tsx';
import { FormButton, type Values } from '../../parts/form.tsx';
import { PageLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { CopyText, Facts, Note } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';

interface DocumentDetailsProps {
  organizationId: string;
  documentId: string;
  onGone: () => void;
}

export function DocumentDetails({ organizationId, documentId, onGone }: DocumentDetailsProps) {
  const documents = useRead(
    'documents.get',
    { organizationId, documentIds: [documentId] },
    { select: firstOf<Document> },
  );
  const place = useRead('console.directory.document', { organizationId, documentId });
  const where = { organization: organizationId, document: documentId };
  const { folders = [], createdAt, updatedAt } = place.data ?? {};
  return (
    <Loaded query={documents} missing="Document">
      {(document) => (
        <>
          <Facts
            facts={{
              Name: document.documentName,
              ID: <CopyText text={document.id} />,
              Access: <AccessTypeBadge type={document.accessType} />,
              Folder: folders.map((each) => each.folderName ?? each.folderId).join(' / ') || 'None',
              Added: createdAt && <Time at={createdAt} />,
              Changed: updatedAt && <Time at={updatedAt} />,
              Disabled: document.disabled ? 'Yes' : undefined,
            }}
          />
          <Group gap="md">
            <PageLink page="access" search={where}>
              Who has access, and why
            </PageLink>
            <PageLink page="live-documents" search={where}>
              Live document
            </PageLink>
            <PageLink page="feedback" search={{ organizationId, documentId }}>
              Comments
            </PageLink>
            <PageLink page="events" search={{ organizationId, documentId }}>
              Events
            </PageLink>
          </Group>
          {place.data && (
            <Acts
              organizationId={organizationId}
              document={document}
              folderId={folders.at(-1)?.folderId ?? ''}
              onGone={onGone}
            />
          )}
          <Json value={document} label="Document as JSON" />
        </>
      )}
    </Loaded>
  );
}

interface ActsProps {
  organizationId: string;
  document: Document;
  folderId: string;
  onGone: () => void;
}

function Acts({ organizationId, document, folderId, onGone }: ActsProps) {
  const { call } = useKey();
  const { id: documentId, documentName, accessType } = document;
  return (
    <Group gap="xs">
      <FormButton
        form={{
          title: `Edit ${documentId}`,
          act: 'Save',
          fields: [
            { name: 'documentName', label: 'Name', initial: documentName, required: true },
            {
              name: 'accessType',
              label: 'Access',
              about: folderId ? 'The document is in a folder, which decides instead.' : undefined,
              options: ACCESS_TYPES,
              initial: folderId ? undefined : accessType,
            },
          ],
          submit: (_: Values, changes: Values) =>
            call('documents.update', { organizationId, documents: [{ documentId, ...changes }] }),
          said: 'Document saved.',
        }}
      >
        Edit
      </FormButton>
      <FormButton
        form={{
          title: `Move ${documentId}`,
          act: 'Move',
          fields: [
            {
              name: 'folderId',
              label: 'Target folder',
              about: 'Folder ID. Leave empty for the top level.',
              initial: folderId,
            },
          ],
          submit: (moved: { folderId: string }) =>
            call('documents.move', {
              organizationId,
              documentIds: [documentId],
              folderId: moved.folderId || null,
            }),
          said: 'Document moved.',
        }}
      >
        Move
      </FormButton>
      <Act
        run={() => call('documents.delete', { organizationId, documentIds: [documentId] })}
        said={`Document ${documentId} deleted.`}
        onDone={onGone}
        ask={{
          title: `Delete document ${documentName}?`,
          what: `This deletes ${documentId} with its live content, versions, comments, recordings and roles. It cannot be undone.`,
          act: 'Delete',
        }}
      >
        Delete
      </Act>
      {folderId && <Note size="xs">Its folder decides who has access.</Note>}
    </Group>
  );
}
