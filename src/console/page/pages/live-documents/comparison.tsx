import { Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call, type OutputOf } from '../../api/client.ts';
import { useKey } from '../../api/key.ts';
import { Filters } from '../../parts/filters.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import type { EditorPlace } from './inspected.ts';

/** Longer text that stayed the same is cut to this length at each side. */
const SHOWN = 240;

interface ComparisonProps {
  place: EditorPlace;
  /** The present version: the comparison with the present content follows it. */
  version: number;
  from: string;
  to: string | undefined;
  choices: Array<{ value: string; label: string }>;
}

/** The text that was removed and added between two versions, or up to the present content. */
export function Comparison({ place, version, from, to, choices }: ComparisonProps) {
  const { apiKey } = useKey();
  const input = { ...place, from, ...(to && { to }) };
  const query = useQuery({
    queryKey: ['comparison', apiKey, input, to ? undefined : version],
    queryFn: ({ signal }) => call(apiKey, 'console.liveDocuments.compare', input, signal),
    placeholderData: keepPreviousData,
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the focus */}
      <section className="console-code live-difference" tabIndex={0} aria-label="Difference">
        {parts.map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts are shown in their order
          <PartView key={at} part={part} />
        ))}
      </section>
    </>
  );
}

function PartView({ part: { kind, text } }: { part: Part }) {
  if (kind === 'removed') return <del>{text}</del>;
  if (kind === 'added') return <ins>{text}</ins>;
  const hidden = text.length - 2 * SHOWN;
  if (hidden <= SHOWN) return text;
  return (
    <>
      {text.slice(0, SHOWN)}
      <Text span inherit c="dimmed" className="live-hidden">
        {` … ${hidden.toLocaleString('en')} unchanged characters … `}
      </Text>
      {text.slice(-SHOWN)}
    </>
  );
}
