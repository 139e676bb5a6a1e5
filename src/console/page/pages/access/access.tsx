import { Grid, Group, Paper, Stack } from '@mantine/core';
import { usePages, useRead } from '../../api/read.ts';
import { type PageSearch, usePageSearch } from '../../app/search.ts';
import { Empty, Loaded, Note, nameOf } from '../../parts/basics.tsx';
import { type Filter, Filters } from '../../parts/filters.tsx';
import { DocsLink, PageLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/panel.tsx';
import { PagedRows } from '../../parts/rows.tsx';
import { type Question, Steps, Verdict } from './steps.tsx';
import { WHAT_IF_PARAMS, WhatIf } from './what-if.tsx';

const FILTERS: Filter[] = [
  {
    name: 'organization',
    label: 'Organization',
    kind: 'organization',
    required: true,
    clearedParameters: ['document', 'folder', ...WHAT_IF_PARAMS],
  },
  { name: 'user', label: 'User', kind: 'user', required: true, clearedParameters: WHAT_IF_PARAMS },
  {
    name: 'document',
    label: 'Document',
    kind: 'document',
    clearedParameters: ['folder', ...WHAT_IF_PARAMS],
  },
  {
    name: 'folder',
    label: 'Folder',
    kind: 'folder',
    clearedParameters: ['document', ...WHAT_IF_PARAMS],
  },
];

/** The question in the address; undefined unless the address names an organization and a user. */
function questionOf({ organization, user, document, folder }: PageSearch): Question | undefined {
  if (!organization || !user) return undefined;
  const question = { organizationId: organization, userId: user };
  return document ? { ...question, documentId: document } : { ...question, folderId: folder };
}

/** Shows why a user can or cannot open a document, a folder or an organization. */
export function Access() {
  const [search] = usePageSearch();
  const question = questionOf(search);
  const { organization } = search;
  return (
    <Page
      title="Access"
      description="Find out why a user can or cannot open a resource, and preview changes."
    >
      <Filters filters={FILTERS} organizationId={organization} />
      {question && <Decision key={JSON.stringify(question)} question={question} />}
      {!question && organization && <RoleHolders organizationId={organization} />}
      {!question && !organization && (
        <Empty title="Choose what to check">
          Choose an organization and a user. You can also choose a document or a folder.
        </Empty>
      )}
    </Page>
  );
}

/** Lists the users who have a role on the chosen resource itself, so that the person can choose one of them. */
function RoleHolders({ organizationId }: { organizationId: string }) {
  const [{ document, folder }] = usePageSearch();
  const folderId = document ? undefined : folder;
  const resourceId = document ?? folder ?? organizationId;
  return (
    <Section title="Choose a user">
      <Note>Users with a role on {resourceId} itself. Other users may have inherited access.</Note>
      <PagedRows
        list={usePages('users.get', { organizationId, documentId: document, folderId })}
        label={`Users with a role on ${resourceId}`}
        keyOf={(row) => row.userId}
        columns={[
          { head: 'Name', cell: nameOf },
          { head: 'ID', cell: (row) => row.userId, isId: true },
          { head: 'Role here', cell: (row) => row.accessRole ?? '–', width: '7rem' },
        ]}
        opens={(row) => ({ user: row.userId })}
        emptyTitle={`Nobody has a role on ${resourceId} itself`}
        emptyText="Choose any user above: access may come from a parent folder or the organization."
      />
    </Section>
  );
}

/** The decision with its steps, and next to it a preview of changes. */
function Decision({ question }: { question: Question }) {
  const { userId, ...resource } = question;
  const resourcePath = useRead('console.directory.resourcePath', resource);
  const path = resourcePath.data?.path ?? [];
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack gap="md">
          <Loaded query={useRead('permissions.explain', question)}>
            {(explained) => (
              <>
                <Verdict explanation={explained} path={path} />
                <Section title="Step by step">
                  <Note>
                    The nearest valid role decides. Without a role, the access type decides.
                  </Note>
                  <Loaded query={resourcePath}>
                    {() => <Steps explanation={explained} path={path} />}
                  </Loaded>
                </Section>
                <Group gap="md">
                  <PageLink
                    page="directory"
                    search={{ organization: resource.organizationId, open: `user:${userId}` }}
                    text="All roles and groups"
                  />
                  <DocsLink page="access#what-a-user-token-may-call" text="What each role may do" />
                </Group>
              </>
            )}
          </Loaded>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Paper withBorder p="md">
          <Section title="What if">
            {resourcePath.data && <WhatIf question={question} path={path} />}
          </Section>
        </Paper>
      </Grid.Col>
    </Grid>
  );
}
