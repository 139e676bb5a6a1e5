import { Avatar, Badge, Box, Group, Paper, Skeleton, Tabs, Text, Title } from '@mantine/core';
import { lazy, Suspense, useEffect, useState } from 'react';
import { toCollaborationError } from '../../../../client/error.ts';
import { type CollaborationClient, createClient } from '../../../../client/index.ts';
import {
  CollaborationProvider,
  DocumentProvider,
  Inbox,
  Threads,
  usePresence,
  useUnreadCount,
} from '../../../../client/react.ts';
import { call } from '../../api/client.ts';
import { usePageKey } from '../../api/read.ts';
import { nameOf } from '../../parts/basics.tsx';
import { DEMO_DOCUMENT, type PlaygroundPerson } from './demo-data.ts';

/** The code of the editor is large, so the page is shown before it is loaded. */
const LiveText = lazy(async () => ({ default: (await import('./live-text.tsx')).LiveText }));

/** Returns an empty token if the session has ended. @throws any other error of the call for a token */
function emptyIfSignedOut(error: unknown): string {
  if (toCollaborationError(error).status === 'UNAUTHENTICATED') return '';
  throw error;
}

/** An app as one person sees it in the browser, with that person's own token. */
export function PersonWindow({ person }: { person: PlaygroundPerson }) {
  const { apiKey } = usePageKey();
  const { userId } = person;
  const [client, setClient] = useState<CollaborationClient>();
  useEffect(() => {
    // In a real app, the server of the app would make this call. Here, the console makes it while its session lasts.
    const token = () => call(apiKey, 'auth.generateToken', { userId }).catch(emptyIfSignedOut);
    const created = createClient({ url: location.origin, token });
    // A client is a function, which React would call as an updater if it were passed directly.
    setClient(() => created);
    return () => created.close();
  }, [apiKey, userId]);
  return (
    <Paper
      className="play-window"
      withBorder
      component="section"
      aria-label={`The browser of ${person.name}`}
    >
      {client ? (
        <CollaborationProvider client={client} organizationId={DEMO_DOCUMENT.organizationId}>
          <DocumentProvider documentId={DEMO_DOCUMENT.documentId}>
            <WindowHead person={person} />
            <Box p="sm">
              <Suspense fallback={<Skeleton height={190} />}>
                <LiveText person={person} />
              </Suspense>
            </Box>
            <CommentsAndInbox name={person.name} />
          </DocumentProvider>
        </CollaborationProvider>
      ) : (
        <Skeleton height={520} />
      )}
    </Paper>
  );
}

function WindowHead({ person: { name, color } }: { person: PlaygroundPerson }) {
  const { others } = usePresence();
  const here = others.map(nameOf).join(', ');
  return (
    <Group className="play-head" px="sm" py={8} gap="xs" wrap="nowrap">
      <Avatar size="sm" color={color} variant="filled" name={name} aria-hidden>
        {name[0]}
      </Avatar>
      <Box flex={1} miw={0}>
        <Title size="sm" fw={650}>
          {name}
        </Title>
        <Text size="xs" c="dimmed" truncate aria-live="polite">
          {here ? `Also here: ${here}` : 'Nobody else is here'}
        </Text>
      </Box>
    </Group>
  );
}

/** Comments and inbox, with the components of the client package. */
function CommentsAndInbox({ name }: { name: string }) {
  const { total } = useUnreadCount();
  return (
    <Tabs defaultValue="comments" keepMounted={false}>
      <Tabs.List px="xs">
        <Tabs.Tab value="comments">Comments</Tabs.Tab>
        <Tabs.Tab
          value="inbox"
          rightSection={total > 0 && <Badge size="sm">{`${total} unread`}</Badge>}
        >
          Inbox
        </Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="comments" className="play-talk" tabIndex={0}>
        <Threads labels={{ threads: `Comments, as ${name} sees them` }} />
      </Tabs.Panel>
      <Tabs.Panel value="inbox" className="play-talk" tabIndex={0}>
        <Inbox labels={{ inbox: `Inbox of ${name}` }} />
      </Tabs.Panel>
    </Tabs>
  );
}
