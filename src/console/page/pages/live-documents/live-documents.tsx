import './live-documents.css';
import { usePageSearch } from '../../app/use-search.ts';
import { Page } from '../../parts/page.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
import { ChooseDocument } from './choose-document.tsx';
import { DocumentView } from './document-view.tsx';
import { OpenNow } from './open-now.tsx';
import { WithContent } from './with-content.tsx';

/** The live documents that are open, and their content. */
export function LiveDocuments() {
  const [{ organization, document }] = usePageSearch();
  return (
    <Page
      title="Live documents"
      about="Documents that are open now, and the edits, sizes and versions of all documents."
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
        <PageTabs
          parameter="list"
          tabs={[
            { value: 'open', label: 'Open now', content: <OpenNow /> },
            { value: 'all', label: 'All documents', content: <WithContent /> },
          ]}
        />
      )}
    </Page>
  );
}
