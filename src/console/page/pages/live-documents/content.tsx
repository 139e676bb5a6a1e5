import { Button, Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useKey } from '../../api/key.ts';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { bytesText } from './bytes-text.ts';
import { treeOf } from './content-tree.ts';
import type { EditorPlace, InspectedEditor } from './inspected.ts';
import { TreeView } from './tree-view.tsx';

/** Larger contents are read when somebody asks for them. */
const SMALL_BYTES = 1_000_000;

interface ContentProps {
  place: EditorPlace;
  editor: InspectedEditor;
}

/** The present content of the editor, as a tree of its types. It follows edits live. */
export function Content({ place, editor }: ContentProps) {
  const { apiKey, client } = useKey();
  const bytes = editor.snapshotBytes + editor.logBytes;
  const [isWanted, setWanted] = useState(bytes <= SMALL_BYTES);
  const query = useQuery({
    queryKey: ['live-documents', apiKey, 'content', place, editor.version],
    queryFn: ({ signal }) => client.crdt.get(place, { signal }),
    placeholderData: keepPreviousData,
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
            <Group justify="space-between">
              <Text size="sm" c="dimmed">
                Type {content.type}, version {content.version.toLocaleString('en')}.
              </Text>
              <CopyCurl operation="crdt.get" input={place} />
            </Group>
            <TreeView key={content.type} node={treeOf(content.type, content.data)} />
          </Stack>
        ) : (
          <Empty title="No content">It may have just been deleted.</Empty>
        )
      }
    </Loaded>
  );
}
