import { BlockNoteEditor } from '@blocknote/core';
import { CommentsExtension } from '@blocknote/core/comments';
import { connectThreadStore } from '../../src/client/blocknote.ts';
import { connectEditor } from '../../src/client/editor.ts';
import { createClient } from '../../src/client/index.ts';

/** A page with an editor of BlockNote and its comments, which buttons change. */

const { url, token, documentId, userId } = JSON.parse(decodeURIComponent(location.hash.slice(1)));
const place = { organizationId: 'acme', documentId };
const client = createClient({ url, token });
const threadStore = await connectThreadStore(client, place);
const { document: doc, provider } = connectEditor(client, { ...place, editorId: 'body' });
const editor = BlockNoteEditor.create({
  extensions: [CommentsExtension({ threadStore, resolveUsers: async () => [] })],
  collaboration: {
    fragment: doc.getXmlFragment('default'),
    provider: { awareness: provider.awareness ?? undefined },
    user: { name: userId, color: '#aa0000' },
  },
});
editor.mount(document.body.appendChild(document.createElement('div')));

const list = document.body.appendChild(document.createElement('output'));
list.setAttribute('aria-label', 'threads');
const show = () => {
  const threads = [...threadStore.getThreads().values()];
  list.textContent = JSON.stringify(
    threads.map(({ comments, resolved }) => ({
      resolved,
      comments: comments.map(({ body, reactions, userId: author }) => ({
        author,
        body,
        reactions: reactions.map(({ emoji, userIds }) => `${emoji} ${userIds}`),
      })),
    })),
  );
};
threadStore.subscribe(show);
show();

const bodyOf = (text: string) => [
  { type: 'paragraph', content: [{ type: 'text', text, styles: {} }] },
];

function selectText(text: string): void {
  editor.transact((tr) => {
    tr.doc.descendants((node, at) => {
      if (node.text !== text) return;
      editor._tiptapEditor.commands.setTextSelection({ from: at, to: at + text.length });
    });
  });
}

const actions: Record<string, (threadId: string, commentId: string) => unknown> = {
  Write: () => editor.replaceBlocks(editor.document, [{ type: 'paragraph', content: 'The plan' }]),
  Comment: () => {
    selectText('The plan');
    const comments = editor.getExtension(CommentsExtension);
    return comments?.createThread({ initialComment: { body: bodyOf('Which one?') } });
  },
  Reply: (threadId) => threadStore.addComment({ threadId, comment: { body: bodyOf('That one') } }),
  Update: (threadId, commentId) =>
    threadStore.updateComment({ threadId, commentId, comment: { body: bodyOf('Which plan?') } }),
  React: (threadId, commentId) => threadStore.addReaction({ threadId, commentId, emoji: '👍' }),
  Unreact: (threadId, commentId) =>
    threadStore.deleteReaction({ threadId, commentId, emoji: '👍' }),
  Resolve: (threadId) => threadStore.resolveThread({ threadId }),
  Reopen: (threadId) => threadStore.unresolveThread({ threadId }),
  Delete: (threadId) => threadStore.deleteThread({ threadId }),
};
for (const [name, act] of Object.entries(actions)) {
  const button = document.body.appendChild(document.createElement('button'));
  button.textContent = name;
  button.onclick = async () => {
    const [thread] = threadStore.getThreads().values();
    await act(thread?.id ?? '', thread?.comments[0]?.id ?? '');
  };
}
