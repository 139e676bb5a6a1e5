import { createClient } from 'collaboration-client';
import { markText } from 'collaboration-client/anchors';
import { connectEditor } from 'collaboration-client/editor';
import {
  Composer,
  Inbox,
  Threads,
  useCreateThread,
  useEditor,
  useInbox,
  usePresence,
  useReply,
  useThreads,
} from 'collaboration-client/react';

/** What an app leaves open may be undefined, also under `exactOptionalPropertyTypes`. */
export function Maybe({ name, list }: { name: string | undefined; list: string[] | undefined }) {
  const client = createClient({ url: '', token: '', retries: undefined, keepWrites: undefined });
  client.documents.get({ organizationId: '', folderId: name, pageToken: undefined });
  client.documents.pages({ organizationId: '', folderId: name, pageToken: undefined });
  client.users.add({ organizationId: '', users: [{ userId: '', name, accessRole: undefined }] });
  useThreads({ statusIds: list, order: undefined, pageSize: undefined });
  useInbox({ documentId: name, pageSize: undefined });
  usePresence({ status: name });
  useReply().mutate({ annotationId: '', text: '', html: name, mentions: undefined });
  useCreateThread().mutate({ text: '', assignedTo: undefined, priority: undefined });
  useEditor(connectEditor, '', { user: name ? { name } : undefined });
  markText({} as Parameters<typeof markText>[0], { name, onClick: undefined });
  return (
    <>
      <Composer annotationId={name} autoFocus={undefined} onSent={undefined} thread={undefined} />
      <Threads statusIds={list} isReadOnly={undefined} labels={undefined} components={undefined} />
      <Inbox documentId={name} onOpen={undefined} />
    </>
  );
}
