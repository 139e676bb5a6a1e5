import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { TreeNode } from './content-tree.ts';

/** How many children are drawn before one asks for more. */
const STEP = 100;
/** Down to here, nodes are open at first. */
const OPEN_DEPTH = 3;

interface TreeViewProps {
  node: TreeNode;
  depth?: number;
}

/** A piece of content with what is in it. Only what is unfolded exists in the page. */
export function TreeView({ node, depth = 0 }: TreeViewProps) {
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH);
  const { label, kind, text, children } = node;
  if (!children) {
    return (
      <div className="live-leaf">
        <Head label={label} kind={kind} /> <span className="live-text">{text || '(empty)'}</span>
      </div>
    );
  }
  return (
    <details
      className="live-node"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <Head label={label} kind={kind} />{' '}
        <Text span size="xs" c="dimmed">
          {children.length === 0 ? 'empty' : children.length.toLocaleString('en')}
        </Text>
      </summary>
      {isOpen && <Children nodes={children} depth={depth + 1} />}
    </details>
  );
}

function Children({ nodes, depth }: { nodes: readonly TreeNode[]; depth: number }) {
  const [shown, setShown] = useState(STEP);
  return (
    <>
      {nodes.slice(0, shown).map((node, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the place in the content is what a node is
        <TreeView key={at} node={node} depth={depth} />
      ))}
      {nodes.length > shown && (
        <Button size="compact-xs" variant="subtle" onClick={() => setShown(shown + STEP)}>
          Show {Math.min(STEP, nodes.length - shown)} more of {nodes.length.toLocaleString('en')}
        </Button>
      )}
    </>
  );
}

const Head = ({ label, kind }: { label: string; kind: string }) => (
  <>
    {label && <strong>{label} </strong>}
    <Text span size="xs" c="dimmed">
      {kind}
    </Text>
  </>
);
