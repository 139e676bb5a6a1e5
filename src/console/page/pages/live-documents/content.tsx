import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useKey } from '../../api/key.ts';
import { Code } from '../../parts/code.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Empty } from '../../parts/text.tsx';
import { bytesText, type EditorPlace, type InspectedEditor } from './inspected.ts';

/** Larger contents are read when somebody asks for them. */
const SMALL_BYTES = 1_000_000;

interface ContentProps {
  place: EditorPlace;
  editor: InspectedEditor;
}

/** The present content of the editor, which follows edits live. */
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
          <Code text={textOf(content.data) || '(empty)'} label="Content" />
        ) : (
          <Empty title="No content">It may have just been deleted.</Empty>
        )
      }
    </Loaded>
  );
}

/** Text as it is, one line for each element of XML, and indented JSON. */
const textOf = (data: unknown): string =>
  typeof data === 'string'
    ? data.replace(/(<\/[^>]+>|\/>)(?=<)/g, '$1\n')
    : JSON.stringify(data, null, 2);
