import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createClient } from '../../src/client/index.ts';
import { CollaborationProvider, DocumentProvider, Inbox, Threads } from '../../src/client/react.ts';

/** A page with the components, without changes to their looks. */

const factsOf = (hash: string) => JSON.parse(decodeURIComponent(hash.slice(1)));
const { url, token, tokenUrl, isDark, inbox } = factsOf(location.hash);
const askApp = async () => (await fetch(tokenUrl)).json();
document.documentElement.lang = 'en';
document.documentElement.style.colorScheme = isDark ? 'dark' : 'light';
document.documentElement.style.background = 'light-dark(#ffffff, #121417)';
const client = createClient({ url, token: tokenUrl ? askApp : token, keepWrites: sessionStorage });

/** Shows the document that the address names, also when it changes. */
function Plan() {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const show = () => setHash(location.hash);
    addEventListener('hashchange', show);
    return () => removeEventListener('hashchange', show);
  }, []);
  const { documentId } = factsOf(hash);
  return (
    <DocumentProvider documentId={documentId}>
      <h1 style={{ color: 'CanvasText' }}>{documentId}</h1>
      <Threads />
      <Inbox documentId={inbox === 'of the document' ? documentId : undefined} />
    </DocumentProvider>
  );
}

createRoot(document.body.appendChild(document.createElement('main'))).render(
  <StrictMode>
    <CollaborationProvider client={client} organizationId="acme">
      <Plan />
    </CollaborationProvider>
  </StrictMode>,
);
