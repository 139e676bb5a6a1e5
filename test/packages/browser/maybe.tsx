import { createClient } from 'collaboration-client';
import { markText } from 'collaboration-client/anchors';
import { connectEditor } from 'collaboration-client/editor';
import {
  Composer,
  Inbox,
  Threads,
  useEditor,
  useInbox,
  usePresence,
  useReply,
  useThreads,
} from 'collaboration-client/react';

/** What an app leaves open may be undefined, also under `exactOptionalPropertyTypes`. */
export function Maybe({ name, list }: { name: string | undefined; list: string[] | undefined }) {
  createClient({ url: '', token: '', retries: undefined, keepWrites: undefined });
  useThreads({ statusIds: list, order: undefined, pageSize: undefined });
  useInbox({ documentId: name, pageSize: undefined });
  usePresence({ status: name });
  useReply().mutate({ annotationId: '', text: '', html: name, mentions: undefined });
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
