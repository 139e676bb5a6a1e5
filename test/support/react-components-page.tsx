import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createClient } from '../../src/client/index.ts';
import { CollaborationProvider, DocumentProvider, Inbox, Threads } from '../../src/client/react.ts';

/** A page with the components as they come. */

const { url, token, tokenUrl, documentId, isDark } = JSON.parse(
  decodeURIComponent(location.hash.slice(1)),
);
const askApp = async () => (await fetch(tokenUrl)).json();
document.documentElement.lang = 'en';
document.documentElement.style.colorScheme = isDark ? 'dark' : 'light';
document.documentElement.style.background = 'light-dark(#ffffff, #121417)';
const client = createClient({ url, token: tokenUrl ? askApp : token, keepWrites: sessionStorage });

createRoot(document.body.appendChild(document.createElement('main'))).render(
  <StrictMode>
    <CollaborationProvider client={client} organizationId="acme">
      <DocumentProvider documentId={documentId}>
        <h1 style={{ color: 'CanvasText' }}>Plan</h1>
        <Threads />
        <Inbox />
      </DocumentProvider>
    </CollaborationProvider>
  </StrictMode>,
);
