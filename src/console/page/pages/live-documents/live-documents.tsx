import './live-documents.css';
import { Tabs } from '@mantine/core';
import { usePageSearch } from '../../app/use-search.ts';
import { Page } from '../../parts/page.tsx';
import { ChooseDocument } from './choose-document.tsx';
import { DocumentView } from './document-view.tsx';
import { OpenNow } from './open-now.tsx';
import { WithContent } from './with-content.tsx';

/** What is open now, and what is inside a live document. */
export function LiveDocuments() {
  const [{ organization, document, list = 'open' }, change] = usePageSearch();
  return (
    <Page
      title="Live documents"
      about="What people have open now, and what is stored of each document: edits, sizes, versions."
    >
      {organization && document && (
        <DocumentView
          key={`${organization} ${document}`}
          organizationId={organization}
          documentId={document}
        />
      )}
      {!organization && document && <ChooseDocument documentId={document} />}
      {!document && (
        <Tabs
          value={list}
          onChange={(next) => change({ list: next === 'open' ? undefined : (next ?? undefined) })}
          keepMounted={false}
        >
          <Tabs.List mb="md">
            <Tabs.Tab value="open">Open now</Tabs.Tab>
            <Tabs.Tab value="all">All with content</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="open">
            <OpenNow />
          </Tabs.Panel>
          <Tabs.Panel value="all">
            <WithContent />
          </Tabs.Panel>
        </Tabs>
      )}
    </Page>
  );
}
