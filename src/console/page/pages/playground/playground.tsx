import '../../../../client/react/styles.css';
import './playground.css';
import { Anchor, SimpleGrid } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { usePageKey } from '../../api/read.ts';
import { seesSecrets, usePerson } from '../../api/session.ts';
import { WriteButton } from '../../parts/action-button.tsx';
import { Empty, Failure, Loaded } from '../../parts/basics.tsx';
import { Page, PageTabs } from '../../parts/page.tsx';
import { AgentTools } from './agent-tools.tsx';
import { ADA, createMissing, GRACE, readMissing } from './demo-world.ts';
import { PersonWindow } from './person-window.tsx';
import { Runner } from './runner.tsx';
import { ServerPanel } from './server-panel.tsx';

/** The product in a minute: two people and a server on one document. */
export function Playground() {
  const person = usePerson();
  const mayUse = person && seesSecrets(person);
  const inWorld = (part: ReactNode) => (mayUse ? <World>{part}</World> : <NotForRole />);
  return (
    <Page
      title="Playground"
      about="Two people and your server work on the same document. Everything here is real: tokens, sockets, events."
    >
      <PageTabs
        tabs={[
          { value: 'live', label: 'Live document', content: inWorld(<Windows />) },
          { value: 'agent', label: 'Agent', content: inWorld(<AgentTools />) },
          { value: 'api', label: 'API runner', content: <Runner /> },
        ]}
      />
    </Page>
  );
}

const NotForRole = () => (
  <Empty title="Your role cannot use the playground">
    It creates tokens for Ada and Grace, and your role can neither create nor view tokens. Sign in
    with an API key and its auth token, or look at the <Anchor href="/docs">documentation</Anchor>.
  </Empty>
);

function World({ children }: { children: ReactNode }) {
  const { apiKey } = usePageKey();
  const cache = useQueryClient();
  const queryKey = ['playground', apiKey];
  const query = useQuery({ queryKey, queryFn: () => readMissing(apiKey), staleTime: 'static' });
  const missing = query.data;
  const { mutate, isPending, isIdle, error } = useMutation({
    mutationFn: () => createMissing(apiKey),
    onSuccess: (stillMissing) => cache.setQueryData(queryKey, stillMissing),
  });
  const isIncomplete = missing && missing.length > 0;
  const hasOrganization = missing !== undefined && !missing.includes('organization');
  useEffect(() => {
    // The organization exists for the playground, so its missing parts are created without asking.
    if (hasOrganization && isIncomplete && isIdle) mutate();
  }, [hasOrganization, isIncomplete, isIdle, mutate]);
  if (isIncomplete === false) return children;
  return (
    <>
      {error && <Failure error={error} retry={mutate} />}
      <Loaded query={query}>
        {() =>
          !hasOrganization && (
            <Empty title="This key has no playground yet">
              The playground is an organization <b>demo</b> with one document and two people. Your
              own organizations stay as they are, and the demo one can be deleted at any time.
              <br />
              <WriteButton mt="md" loading={isPending} onClick={() => mutate()}>
                Create the playground
              </WriteButton>
            </Empty>
          )
        }
      </Loaded>
    </>
  );
}

const Windows = () => (
  <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md" className="play">
    <PersonWindow person={ADA} />
    <PersonWindow person={GRACE} />
    <ServerPanel />
  </SimpleGrid>
);
