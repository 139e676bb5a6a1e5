import {
  type Annotation,
  createClient,
  type Notification,
  type Presence,
} from 'collaboration-client';
import { type ConnectedEditor, connectEditor } from 'collaboration-client/editor';
import { StrictMode, useEffect, useState, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { HooksPage } from './hooks.tsx';

const query = new URLSearchParams(location.search);
const userId = query.get('user') ?? 'ada';
const place = { organizationId: 'acme', documentId: query.get('document') ?? 'plan' };
const client = createClient({
  url: query.get('server') ?? '',
  token: async () => (await fetch(`/token?user=${userId}`, { method: 'POST' })).json(),
});

interface Source<Value> {
  read: () => Promise<Value>;
  changes: (options: { signal: AbortSignal }) => AsyncIterable<unknown>;
}

/** Reads at first, and again after each change. */
function useLive<Value>({ read, changes }: Source<Value>): Value | undefined {
  const [value, setValue] = useState<Value>();
  useEffect(() => {
    const stop = new AbortController();
    const refresh = async () => setValue(await read());
    const follow = async () => {
      for await (const _ of changes({ signal: stop.signal })) await refresh();
    };
    Promise.all([refresh(), follow()]).catch((error) =>
      setValue(() => {
        throw error;
      }),
    );
    return () => stop.abort();
  }, [read, changes]);
  return value;
}

const threadsSource: Source<{ data: Array<Annotation | null> }> = {
  read: () => client.commentAnnotations.get(place),
  changes: (options) => client.comments.changes(place, options),
};

const organization = { organizationId: place.organizationId };
const inboxSource: Source<{ data: Notification[] }> = {
  read: () => client.notifications.get(place),
  changes: (options) => client.notifications.changes(organization, options),
};

const peopleSource: Source<Presence[]> = {
  read: () => client.presence.get(place),
  changes: (options) => client.presence.changes(place, options),
};

function Threads() {
  const threads = useLive(threadsSource);
  const add = () =>
    client.commentAnnotations.add({
      ...place,
      commentAnnotations: [
        {
          commentData: [
            {
              commentText: `${userId} asks`,
              from: { userId },
              taggedUserContacts: [{ userId: 'ada' }],
              triggerNotification: true,
            },
          ],
        },
      ],
    });
  return (
    <>
      <button type="button" onClick={add}>
        Comment
      </button>
      <ul aria-label="Threads">
        {threads?.data.map((thread) => (
          <li key={thread?.annotationId}>{thread?.comments[0]?.commentText}</li>
        ))}
      </ul>
    </>
  );
}

function Inbox() {
  const inbox = useLive(inboxSource);
  return (
    <ul aria-label="Inbox">
      {inbox?.data.map(({ id, displayHeadlineMessage }) => (
        <li key={id}>{displayHeadlineMessage}</li>
      ))}
    </ul>
  );
}

function People() {
  const people = useLive(peopleSource);
  const online = people?.filter(({ status }) => status === 'online');
  return (
    <ul aria-label="People">
      {online?.map((person) => (
        <li key={person.userId}>{person.userId}</li>
      ))}
    </ul>
  );
}

const editor = connectEditor(client, { ...place, editorId: 'body', user: { name: userId } });
const text = editor.document.getText('content');

function Editor({ editor }: { editor: ConnectedEditor }) {
  const subscribe = (listener: () => void) => editor.subscribe(listener);
  const status = useSyncExternalStore(subscribe, () => editor.status);
  const isStored = useSyncExternalStore(subscribe, () => !editor.hasUnsyncedChanges);
  const content = useSyncExternalStore(
    (listener) => {
      text.observe(listener);
      return () => text.unobserve(listener);
    },
    () => text.toString(),
  );
  return (
    <>
      <output aria-label="Editor">
        {status}
        {isStored ? ', stored' : ''}
      </output>
      <button type="button" onClick={() => text.insert(text.length, `${userId} `)}>
        Write
      </button>
      <output aria-label="Text">{content}</output>
    </>
  );
}

const PlainPage = () => (
  <>
    <Threads />
    <Inbox />
    <People />
  </>
);

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    {query.has('hooks') ? (
      <HooksPage client={client} place={place} userId={userId} />
    ) : (
      <PlainPage />
    )}
    <Editor editor={editor} />
  </StrictMode>,
);
