import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AccessType, Document } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
import { ACCESS_TYPES, AccessTypeBadge } from '../../parts/access-type.tsx';
import { ActButton } from '../../parts/act-button.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Facts } from '../../parts/facts.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Json } from '../../parts/json.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Time } from '../../parts/time.tsx';
import { DeleteButton } from './delete-button.tsx';
import { useOpened } from './opened.ts';
import { requireDone } from './outcomes.ts';
import { useRenew } from './use-renew.ts';

interface DocumentDetailsProps {
  organizationId: string;
  documentId: string;
}

export function DocumentDetails({ organizationId, documentId }: DocumentDetailsProps) {
  const { apiKey, client, own } = useKey();
  const input = { organizationId, documentIds: [documentId] };
  const query = useQuery({
    queryKey: ['directory', apiKey, 'document', input],
    queryFn: async ({ signal }) => {
      const [{ data }, place] = await Promise.all([
        client.documents.get(input, { signal }),
        own.directory.document.query({ organizationId, documentId }, { signal }),
      ]);
      return { document: data[0], place };
    },
  });
  const where = { organization: organizationId, document: documentId };
  return (
    <Loaded query={query}>
      {({ document, place }) =>
        document ? (
          <>
            <Facts
              facts={{
                Name: document.documentName,
                ID: <CopyText text={document.id} />,
                Access: <AccessTypeBadge type={document.accessType} />,
                Folder:
                  place.folders.map((each) => each.folderName ?? each.folderId).join(' / ') ||
                  'None',
                Added: <Time at={place.createdAt} />,
                Changed: <Time at={place.updatedAt} />,
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
              <PageLink page="feedback" search={where}>
                Comments
              </PageLink>
              <PageLink page="events" search={where}>
                Events
              </PageLink>
            </Group>
            <Acts
              organizationId={organizationId}
              document={document}
              folderId={place.folders.at(-1)?.folderId ?? ''}
            />
            <Json value={document} label="Document as JSON" />
            <div>
              <CopyCurl operation="documents.get" input={input} />
            </div>
          </>
        ) : (
          <Empty title="Document not found">It may have been deleted.</Empty>
        )
      }
    </Loaded>
  );
}

interface ActsProps {
  organizationId: string;
  document: Document;
  folderId: string;
}

function Acts({ organizationId, document, folderId }: ActsProps) {
  const { client } = useKey();
  const renew = useRenew();
  const [, open] = useOpened();
  const [act, setAct] = useState<'change' | 'move'>();
  const { id: documentId, documentName, accessType } = document;
  const finish = (message: string) => {
    setAct(undefined);
    renew(message);
  };
  return (
    <Group gap="xs">
      <ActButton size="xs" variant="default" onClick={() => setAct('change')}>
        Edit
      </ActButton>
      <ActButton size="xs" variant="default" onClick={() => setAct('move')}>
        Move
      </ActButton>
      <DeleteButton
        title={`Delete document ${documentName}?`}
        what={`This deletes ${documentId} with its live content, versions, comments, recordings and roles. It cannot be undone.`}
        act="Delete"
        remove={async () =>
          requireDone(await client.documents.delete({ organizationId, documentIds: [documentId] }))
        }
        onDone={() => {
          open(undefined);
          renew(`Document ${documentId} deleted.`);
        }}
      />
      {act === 'change' && (
        <FormDialog
          title={`Edit ${documentId}`}
          act="Save"
          fields={[
            { name: 'documentName', label: 'Name', initial: documentName, required: true },
            {
              name: 'accessType',
              label: 'Access',
              about: folderId ? 'The document is in a folder, which decides instead.' : undefined,
              options: ACCESS_TYPES,
              initial: folderId ? undefined : accessType,
            },
          ]}
          submit={async (values) =>
            requireDone(
              await client.documents.update({
                organizationId,
                documents: [
                  {
                    documentId,
                    documentName: values.documentName,
                    ...(values.accessType && { accessType: values.accessType as AccessType }),
                  },
                ],
              }),
            )
          }
          onDone={() => finish('Document saved.')}
          onClose={() => setAct(undefined)}
        />
      )}
      {act === 'move' && (
        <FormDialog
          title={`Move ${documentId}`}
          act="Move"
          fields={[
            {
              name: 'folderId',
              label: 'Target folder',
              about: 'Folder ID. Leave empty for the top level.',
              initial: folderId,
            },
          ]}
          submit={async (values) =>
            requireDone(
              await client.documents.move({
                organizationId,
                documentIds: [documentId],
                folderId: values.folderId || null,
              }),
            )
          }
          onDone={() => finish('Document moved.')}
          onClose={() => setAct(undefined)}
        />
      )}
      {folderId && (
        <Text size="xs" c="dimmed">
          Its folder decides who has access.
        </Text>
      )}
    </Group>
  );
}
