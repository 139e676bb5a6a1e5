import { createElement, useEffect, useState } from 'react';
import { expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { CollaborationProvider, DocumentProvider, useEditor } from '../../src/client/react.ts';
import { provideDom, render } from '../support/dom.ts';
import { eventually } from '../support/eventually.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

provideDom();

it('a component that is shown with an editor leaves the page before the editor of another document comes', async () => {
  const client = createClient({ url: 'http://127.0.0.1:9', token: 'unused' });
  whenTestEnds(() => client.close());
  const steps: string[] = [];
  const connect = (_client: unknown, { documentId }: { documentId: string }) => ({
    ...{ documentId, status: 'synced' as const, error: undefined },
    ...{ canWrite: true, hasUnsyncedChanges: false },
    subscribe: () => () => {},
    destroy: () => {},
  });
  type Editor = ReturnType<typeof connect>;
  function Text({ editor: { documentId } }: { editor: Editor }) {
    // biome-ignore lint/correctness/useExhaustiveDependencies: bindings of editors are made once
    useEffect(() => {
      steps.push(`bound to ${documentId}`);
      return () => void steps.push(`left ${documentId}`);
    }, []);
    return null;
  }
  function Page() {
    const { editor } = useEditor(connect, 'body');
    return editor ? createElement(Text, { editor }) : null;
  }
  let show = (_documentId: string): void => {};
  function Documents() {
    const [documentId, setDocumentId] = useState('first');
    show = setDocumentId;
    return createElement(DocumentProvider, { documentId }, createElement(Page));
  }
  const documents = createElement(Documents);
  render(createElement(CollaborationProvider, { client, organizationId: 'acme' }, documents));
  await eventually(() => expect(steps).toEqual(['bound to first']));
  show('second');
  await eventually(() =>
    expect(steps).toEqual(['bound to first', 'left first', 'bound to second']),
  );
});
