import './directory.css';
import { Anchor, Breadcrumbs, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { usePageSearch } from '../../app/use-search.ts';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Page } from '../../parts/page.tsx';
import { Details } from './details.tsx';
import { OrganizationList } from './organization-list.tsx';
import { OrganizationView } from './organization-view.tsx';
import { SearchResults } from './search-results.tsx';

/** Organizations, and what is in each of them. */
export function Directory() {
  const [{ organization, q }, change] = usePageSearch();
  return (
    <Page
      title="Directory"
      about="Organizations with their folders, documents, users and groups."
      actions={
        <CopyCurl
          operation={organization ? 'documents.get' : 'organizations.get'}
          input={organization ? { organizationId: organization } : {}}
        />
      }
    >
      <SearchField />
      {organization && (
        <Breadcrumbs>
          <Anchor
            component="button"
            type="button"
            onClick={() =>
              change(
                { organization: undefined, tab: undefined, folder: undefined, q: undefined },
                'push',
              )
            }
          >
            All organizations
          </Anchor>
          <span>{organization}</span>
        </Breadcrumbs>
      )}
      {q && <SearchResults q={q} organizationId={organization} />}
      {!q && organization && <OrganizationView organizationId={organization} />}
      {!q && !organization && <OrganizationList />}
      <Details />
    </Page>
  );
}

function SearchField() {
  const [{ q = '', organization }, change] = usePageSearch();
  const [text, setText] = useState(q);
  useEffect(() => setText(q), [q]);
  const search = useDebouncedCallback((wanted: string) => change({ q: wanted.trim() }), 300);
  return (
    <TextInput
      label={organization ? `Search in ${organization}` : 'Search everywhere'}
      placeholder="ID or name"
      type="search"
      leftSection={<Icon name="search" size={16} />}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        search(currentTarget.value);
      }}
      maw={480}
    />
  );
}
