import {
  Box,
  Button,
  Card,
  Group,
  ScrollArea,
  Table,
  Text,
  Title,
  useComputedColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { type ChartData, CLOCK, LINE_STYLES } from './line-styles.ts';

interface LineChartProps extends ChartData {
  title: string;
  /** The meaning of the values, in a few words. */
  about?: string;
}

/** Lines over time, with the same as text and as a table. */
export function LineChart({ title, about, ...data }: LineChartProps) {
  const [showsTable, { toggle }] = useDisclosure();
  const [pointed, setPointed] = useState<number | null>(null);
  const { times, lines, format } = data;
  const at = pointed ?? times.length - 1;
  const time = times[at];
  return (
    <Card withBorder padding="sm" component="section" aria-label={title}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
        <div>
          <Title order={3} size="sm">
            {title}
          </Title>
          {about && (
            <Text size="xs" c="dimmed">
              {about}
            </Text>
          )}
        </div>
        <Button size="compact-xs" variant="subtle" color="gray" onClick={toggle}>
          {showsTable ? 'Chart' : 'Table'}
        </Button>
      </Group>
      <Group gap="sm" my={6} aria-hidden>
        {lines.map((line, index) => (
          <Group gap={6} key={line.name} wrap="nowrap">
            <LineSample index={index} />
            <Text size="xs">
              {line.name} <b>{formatted(line.values[at], format)}</b>
            </Text>
          </Group>
        ))}
        <Text size="xs" c="dimmed" ml="auto">
          {time === undefined ? '' : CLOCK.format(time)}
        </Text>
      </Group>
      <VisuallyHidden>{lines.map((line) => summaryOf(line, data)).join(' ')}</VisuallyHidden>
      {showsTable ? (
        <ValueTable title={title} {...data} />
      ) : (
        <Plot {...data} onPoint={setPointed} />
      )}
    </Card>
  );
}

function Plot({ times, lines, format, onPoint }: ChartData & { onPoint(at: number | null): void }) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme decides the colours
  useEffect(() => {
    let end = () => {};
    let isOver = false;
    void import('./draw-chart.ts').then(({ drawChart }) => {
      if (place.current && !isOver) {
        end = drawChart(place.current, { times, lines, format }, onPoint);
      }
    });
    return () => {
      isOver = true;
      end();
    };
  }, [times, lines, format, onPoint, scheme]);
  return <Box ref={place} mih={160} aria-hidden />;
}

function ValueTable({ title, times, lines, format }: ChartData & { title: string }) {
  return (
    <ScrollArea h={160} viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': title }}>
      <Table stickyHeader verticalSpacing={2} fz="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Time</Table.Th>
            {lines.map(({ name }) => (
              <Table.Th key={name}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {times.map((time, at) => (
            <Table.Tr key={time}>
              <Table.Td>{CLOCK.format(time)}</Table.Td>
              {lines.map(({ name, values }) => (
                <Table.Td key={name}>{formatted(values[at], format)}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  );
}

/** How a line is drawn. */
function LineSample({ index }: { index: number }) {
  const { color, dash } = LINE_STYLES[index % LINE_STYLES.length] ?? LINE_STYLES[0];
  return (
    <svg width={22} height={8} aria-hidden="true">
      <line
        x1={0}
        x2={22}
        y1={4}
        y2={4}
        stroke={`var(--mantine-color-${color}-filled)`}
        strokeWidth={2}
        strokeDasharray={dash.join(' ')}
      />
    </svg>
  );
}

const formatted = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? '–' : format(value);

function summaryOf({ name, values }: ChartData['lines'][number], { times, format }: ChartData) {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return `${name}: nothing.`;
  const highest = Math.max(...known);
  const when = CLOCK.format(times[values.indexOf(highest)]);
  return `${name}: now ${formatted(values.at(-1), format)}, at most ${format(highest)} at ${when}.`;
}
