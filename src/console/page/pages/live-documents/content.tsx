import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ContentType } from '../../../../client/index.ts';
import { call } from '../../api/client.ts';
import { useKey } from '../../api/key.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Empty, Note } from '../../parts/text.tsx';
import { bytesText, type EditorPlace, type InspectedEditor } from './inspected.ts';

/** Larger contents are read when somebody asks for them. */
const SMALL_BYTES = 1_000_000;

interface ContentProps {
  place: EditorPlace;
  editor: InspectedEditor;
}

/** The present content of the editor, as a tree of its types. It follows edits live. */
export function Content({ place, editor }: ContentProps) {
  const { apiKey } = useKey();
  const bytes = editor.snapshotBytes + editor.logBytes;
  const [isWanted, setWanted] = useState(bytes <= SMALL_BYTES);
  const query = useQuery({
    // Another version is another content.
    queryKey: ['crdt.get', apiKey, place, editor.version],
    queryFn: ({ signal }) => call(apiKey, 'crdt.get', place, signal),
    placeholderData: (previous) => previous,
    enabled: isWanted,
  });
  if (!isWanted) {
    return (
      <Empty title={`Large content: ${bytesText(bytes)}`}>
        <Button onClick={() => setWanted(true)}>Load content</Button>
      </Empty>
    );
  }
  return (
    <Loaded query={query}>
      {([content]) =>
        content ? (
          <Stack gap="sm">
            <Note>
              Type {content.type}, version {content.version.toLocaleString('en')}.
            </Note>
            <TreeView key={content.type} node={treeOf(content.type, content.data)} />
          </Stack>
        ) : (
          <Empty title="No content">It may have just been deleted.</Empty>
        )
      }
    </Loaded>
  );
}

/** A piece of content: a type with what is in it, or a value. */
interface TreeNode {
  /** The key or index in what is above it, or the name of an XML element. */
  label: string;
  /** Its type, such as `map`. */
  kind: string;
  /** The value of a leaf. */
  text?: string;
  children?: TreeNode[];
}

/** The content of an editor as a tree. What cannot be parsed stands as text. */
function treeOf(type: ContentType, data: unknown): TreeNode {
  if (type !== 'xml' || typeof data !== 'string') return jsonTree('content', data);
  const parsed = new DOMParser().parseFromString(`<content>${data}</content>`, 'text/xml');
  if (parsed.querySelector('parsererror')) return { label: 'content', kind: 'xml', text: data };
  return elementTree(parsed.documentElement);
}

function jsonTree(label: string, value: unknown): TreeNode {
  if (Array.isArray(value)) {
    return { label, kind: 'array', children: value.map((each, at) => jsonTree(String(at), each)) };
  }
  if (typeof value === 'object' && value !== null) {
    const children = Object.entries(value).map(([key, each]) => jsonTree(key, each));
    return { label, kind: 'map', children };
  }
  if (typeof value === 'string') return { label, kind: 'text', text: value };
  return { label, kind: value === null ? 'null' : typeof value, text: String(value) };
}

function elementTree(element: Element): TreeNode {
  const attributes = [...element.attributes].map(
    ({ name, value }): TreeNode => ({ label: name, kind: 'attribute', text: value }),
  );
  const children = [...element.childNodes].map((child) =>
    child instanceof Element
      ? elementTree(child)
      : { label: '', kind: 'text', text: child.textContent ?? '' },
  );
  return { label: element.tagName, kind: 'element', children: [...attributes, ...children] };
}

/** How many children are drawn before one asks for more. */
const STEP = 100;
/** Down to here, nodes are open at first. */
const OPEN_DEPTH = 3;

/** A piece of content with what is in it. Only what is unfolded exists in the page. */
function TreeView({ node, depth = 0 }: { node: TreeNode; depth?: number }) {
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH);
  const [shown, setShown] = useState(STEP);
  const { label, kind, text, children } = node;
  const head = (
    <>
      {label && <strong>{label} </strong>}
      <Text span size="xs" c="dimmed">
        {kind}{' '}
        {children && (children.length === 0 ? 'empty' : children.length.toLocaleString('en'))}
      </Text>
    </>
  );
  if (!children) {
    return (
      <div className="live-leaf">
        {head} <span className="console-text">{text || '(empty)'}</span>
      </div>
    );
  }
  return (
    <details
      className="live-node"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{head}</summary>
      {isOpen &&
        children.slice(0, shown).map((child, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the place in the content is what a node is
          <TreeView key={at} node={child} depth={depth + 1} />
        ))}
      {isOpen && children.length > shown && (
        <Button size="compact-xs" variant="subtle" onClick={() => setShown(shown + STEP)}>
          Show {Math.min(STEP, children.length - shown)} more of{' '}
          {children.length.toLocaleString('en')}
        </Button>
      )}
    </details>
  );
}
