import { Stack, Text, Title } from '@mantine/core';
import type { InputOf, OutputOf } from '../../api/client.ts';
import { useRead } from '../../api/read.ts';
import { Loaded } from '../../parts/basics.tsx';
import { Filters } from '../../parts/filters.tsx';

export type EditorPlace = InputOf<'console.liveDocuments.inspect'> & { editorId: string };

/** Longer unchanged text is cut to this length next to each change. */
const SHOWN = 240;

interface ComparisonProps {
  place: EditorPlace;
  /** The version of the current content. A comparison with it is loaded again when this changes. */
  version: number;
  from: string;
  to: string | undefined;
  choices: Array<{ value: string; label: string }>;
}

/** The text that was removed and added between two versions, or up to the current content. */
export function Comparison({ place, version, from, to, choices }: ComparisonProps) {
  const input = { ...place, from, to };
  const query = useRead('console.liveDocuments.compare', input, {
    keepsPrevious: true,
    version: to ? undefined : version,
  });
  return (
    <Stack gap="sm">
      <Title order={3} size="h5">
        Difference
      </Title>
      <Filters
        filters={[
          { name: 'from', label: 'From', options: choices, initial: from, required: true },
          { name: 'to', label: 'To', options: choices, placeholder: 'Current content' },
        ]}
      />
      <Loaded query={query}>{({ parts }) => <Parts parts={parts} />}</Loaded>
    </Stack>
  );
}

type Part = OutputOf<'console.liveDocuments.compare'>['parts'][number];

function Parts({ parts }: { parts: readonly Part[] }) {
  const lengthOf = (kind: Part['kind']) =>
    parts.reduce((sum, part) => sum + (part.kind === kind ? part.text.length : 0), 0);
  const [removed, added] = [lengthOf('removed'), lengthOf('added')];
  return (
    <>
      <Text size="sm" role="status">
        {removed + added === 0
          ? 'No differences.'
          : `${added.toLocaleString('en')} characters added, ${removed.toLocaleString('en')} removed.`}
      </Text>
      <section
        className="console-code"
        style={{ fontSize: 'var(--mantine-font-size-sm)' }}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the focus
        tabIndex={0}
        aria-label="Difference"
      >
        {parts.map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts are shown in their order
          <PartView key={at} {...part} />
        ))}
      </section>
    </>
  );
}

const tinted = (color: string) => ({ background: `var(--mantine-color-${color}-light)` });

function PartView({ kind, text }: Part) {
  if (kind === 'removed') return <del style={tinted('red')}>{text}</del>;
  if (kind === 'added') return <ins style={tinted('teal')}>{text}</ins>;
  const hidden = text.length - 2 * SHOWN;
  if (hidden <= SHOWN) return text;
  return (
    <>
      {text.slice(0, SHOWN)}
      <Text span inherit c="dimmed" fs="italic">
        {` … ${hidden.toLocaleString('en')} unchanged characters … `}
      </Text>
      {text.slice(-SHOWN)}
    </>
  );
}
