import { createHeadlessEditor } from '@lexical/headless';
import { LinkNode } from '@lexical/link';
import { ListItemNode, ListNode } from '@lexical/list';
import { HeadingNode, QuoteNode } from '@lexical/rich-text';
import { TableCellNode, TableNode, TableRowNode } from '@lexical/table';
import {
  createBinding,
  type Provider,
  syncLexicalUpdateToYjs,
  syncYjsChangesToLexical,
} from '@lexical/yjs';
import type { LexicalEditor } from 'lexical';
import type * as Y from 'yjs';

/** A headless Lexical editor on a Yjs document, with Lexical's own binding. */
export function bindLexical(doc: Y.Doc): { editor: LexicalEditor } {
  const editor = createHeadlessEditor({
    nodes: [
      HeadingNode,
      QuoteNode,
      ListNode,
      ListItemNode,
      LinkNode,
      TableNode,
      TableRowNode,
      TableCellNode,
    ],
    onError: (error) => {
      throw error;
    },
  });
  const provider = withoutCursors();
  const binding = createBinding(editor, provider, 'main', doc, new Map([['main', doc]]));
  const root = binding.root.getSharedType();
  root.observeDeep((events, { origin }) => {
    if (origin === binding) return;
    syncYjsChangesToLexical(
      binding,
      provider,
      events as Y.YEvent<Y.Text>[],
      false,
      () => undefined,
    );
  });
  // Applies the content from before the editor.
  if (root.length > 0) {
    editor.update(
      () => {
        binding.root.applyChildrenYjsDelta(binding, root.toDelta());
        binding.root.syncChildrenFromYjs(binding);
      },
      { tag: 'collaboration', discrete: true },
    );
  }
  editor.registerUpdateListener((update) => {
    if (update.tags.has('skip-collab')) return;
    syncLexicalUpdateToYjs(
      binding,
      provider,
      update.prevEditorState,
      update.editorState,
      update.dirtyElements,
      update.dirtyLeaves,
      update.normalizedNodes,
      update.tags,
    );
  });
  return { editor };
}

/** The part of a provider for cursors, which tests do not use. */
function withoutCursors(): Provider {
  const nothing = () => undefined;
  return {
    awareness: {
      getLocalState: () => null,
      getStates: () => new Map(),
      on: nothing,
      off: nothing,
      setLocalState: nothing,
      setLocalStateField: nothing,
    },
    connect: nothing,
    disconnect: nothing,
    on: nothing,
    off: nothing,
  } as Provider;
}
