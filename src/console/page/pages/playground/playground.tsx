import '../../../../client/react/styles.css';
import './playground.css';
import { Anchor, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { usePageKey } from '../../api/read.ts';
import { seesSecrets, usePerson } from '../../api/session.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Empty, Loaded } from '../../parts/basics.tsx';
import { Page, PageTabs } from '../../parts/page.tsx';
import { AgentTools } from './agent-tools.tsx';
import { ADA, createMissingParts, GRACE } from './demo-data.ts';
import { PersonWindow } from './person-window.tsx';
import { Runner } from './runner.tsx';
import { ServerPanel } from './server-panel.tsx';

/** The product in a minute: two people and a server on one document. */
export function Playground() {
  const person = usePerson();
  const mayUse = person && seesSecrets(person);
  const withPlayground = (part: ReactNode) =>
    mayUse ? <RequirePlayground>{part}</RequirePlayground> : <NotForRole />;
  return (
    <Page
      title="Playground"
      description="Two people and your server work on the same document. Everything here is real: tokens, sockets, events."
    >
      <PageTabs
        tabs={[
          { value: 'live', label: 'Live document', content: withPlayground(<Windows />) },
          { value: 'agent', label: 'Agent', content: withPlayground(<AgentTools />) },
          { value: 'api', label: 'API runner', content: <Runner /> },
        ]}
      />
    </Page>
  );
}

const NotForRole = () => (
  <Empty title="Your role cannot use the playground">
    The playground creates tokens for Ada and Grace, and your role can neither create nor view
    tokens. Sign in with an API key and its auth token, or look at the{' '}
    <Anchor href="/docs">documentation</Anchor>.
  </Empty>
);

function RequirePlayground({ children }: { children: ReactNode }) {
  const { apiKey } = usePageKey();
  const playground = useQuery({
    queryKey: ['playground', apiKey],
    queryFn: () => createMissingParts(apiKey, { mayCreateOrganization: false }),
    staleTime: 'static',
  });
  return (
    <Loaded query={playground}>
      {(isComplete) =>
        isComplete ? (
          children
        ) : (
          <Empty title="This key has no playground yet">
            The playground is an organization called <b>demo</b> with one document and two people.
            Your own organizations stay as they are, and you can delete demo at any time.
            <br />
            <ActionButton
              label="Create the playground"
              size="sm"
              variant="filled"
              mt="md"
              run={() => createMissingParts(apiKey, { mayCreateOrganization: true })}
              onDone={() => void playground.refetch()}
            />
          </Empty>
        )
      }
    </Loaded>
  );
}

const Windows = () => (
  <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md" className="play">
    <PersonWindow person={ADA} />
    <PersonWindow person={GRACE} />
    <ServerPanel />
  </SimpleGrid>
);
