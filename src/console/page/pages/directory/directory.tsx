import { Badge, Breadcrumbs, Stack } from '@mantine/core';
import { usePages, useRead } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { Empty, Loaded, Note } from '../../parts/basics.tsx';
import { Filters } from '../../parts/filters.tsx';
import { FormButton } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PageLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { PagedRows, Rows } from '../../parts/rows.tsx';
import { idAndNameFields } from './entry-fields.ts';
import { GroupDetails } from './group-details.tsx';
import { Organization } from './organization.tsx';
import { DocumentDetails, FolderDetails } from './resource-details.tsx';
import { UserDetails } from './user-details.tsx';

export function Directory() {
  const [{ organization, q, open = '' }] = usePageSearch();
  return (
    <Page
      title="Directory"
      description="Organizations with their folders, documents, users and groups."
    >
      <Filters
        filters={{
          name: 'q',
          label: organization ? `Search in ${organization}` : 'Search everywhere',
          placeholder: 'ID or name',
        }}
      >
        {!organization && <AddOrganization />}
      </Filters>
      {organization && (
        <Breadcrumbs>
          <PageLink page="directory" text="All organizations" />
          <span>{organization}</span>
        </Breadcrumbs>
      )}
      {q && <SearchResults q={q} organizationId={organization} />}
      {!q && organization && <Organization organizationId={organization} />}
      {!q && !organization && <OrganizationList />}
      <Panel parameter="open" title={titleOf(open)}>
        {(opened, close) => (
          <Details opened={opened} organizationId={organization} onDeleted={close} />
        )}
      </Panel>
    </Page>
  );
}

/** Returns `Document launch` for `document:launch`. */
const titleOf = (opened: string): string =>
  opened.charAt(0).toUpperCase() + opened.slice(1).replace(':', ' ');

interface DetailsProps {
  /** The kind and the id of the entry, such as `document:launch`. */
  opened: string;
  organizationId: string | undefined;
  onDeleted: () => void;
}

const DETAILS = { document: DocumentDetails, folder: FolderDetails, group: GroupDetails };

/** The opened entry, next to its list. */
function Details({ opened, organizationId, onDeleted }: DetailsProps) {
  const [, kind = '', id = ''] = /^(\w+):(.*)$/s.exec(opened) ?? [];
  if (kind === 'user')
    return <UserDetails id={id} organizationId={organizationId} onDeleted={onDeleted} />;
  if (!organizationId) return <Empty title="Choose an organization" />;
  if (!Object.hasOwn(DETAILS, kind)) return <Empty title={`“${opened}” not found`} />;
  const Entry = DETAILS[kind as keyof typeof DETAILS];
  return <Entry id={id} organizationId={organizationId} onDeleted={onDeleted} />;
}

function AddOrganization() {
  const [, changeSearch] = usePageSearch();
  return (
    <FormButton
      label="Add organization"
      button={{ size: 'sm', variant: 'filled', leftSection: <Icon name="plus" size={16} /> }}
      submitLabel="Add"
      fields={idAndNameFields('organization')}
      submit={(call, { organizationId }: { organizationId: string }, entered) =>
        call('organizations.add', { organizations: [{ ...entered, organizationId }] })
      }
      notice={({ organizationId }) => `Organization ${organizationId} added.`}
      onDone={({ organizationId }) =>
        changeSearch({ organization: String(organizationId) }, 'push')
      }
    />
  );
}

const OrganizationList = () => (
  <PagedRows
    list={usePages('organizations.get', {})}
    label="Organizations"
    keyOf={(row) => row.organizationId}
    columns={[
      { head: 'Name', cell: (row) => row.organizationName },
      { head: 'ID', cell: (row) => row.organizationId, isId: true },
    ]}
    opens={(row) => ({ organization: row.organizationId })}
    emptyTitle="No organizations yet"
    emptyText="Add one here, or with organizations.add. The playground creates one to try things out."
  />
);

/** The entries whose id or name contains a text, in all organizations or in one. */
const SearchResults = ({
  q,
  organizationId,
}: {
  q: string;
  organizationId: string | undefined;
}) => (
  <Loaded query={useRead('console.directory.find', { q, organizationId })}>
    {({ found, isPartial }) => (
      <Stack gap="xs">
        <Rows
          label={`Entries matching ${q}`}
          rows={found}
          keyOf={(row) => `${row.kind} ${row.organizationId} ${row.id}`}
          columns={[
            { head: 'Name', cell: (row) => row.name ?? row.id },
            { head: 'Kind', cell: (row) => <Badge>{row.kind}</Badge>, width: '8rem' },
            { head: 'ID', cell: (row) => row.id, isId: true, wideOnly: true },
            { head: 'Organization', cell: (row) => row.organizationId ?? '–', wideOnly: true },
          ]}
          opens={({ kind, id, organizationId: within }) => ({
            open: `${kind}:${id}`,
            organization: within ?? organizationId,
            ...(kind === 'organization' && { q: undefined, open: undefined }),
          })}
          emptyTitle={`No results for “${q}”`}
          emptyText="Search for a part of an ID or name."
        />
        {isPartial && (
          <Note>
            Showing up to 25 results of each kind.
            {organizationId ? '' : ' Open an organization to search all of its entries.'}
          </Note>
        )}
      </Stack>
    )}
  </Loaded>
);
