import {
  Center,
  CopyButton,
  Group,
  SimpleGrid,
  Stack,
  Text,
  type TextProps,
  Tooltip,
  UnstyledButton,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

/** An empty list: what would stand here, and what to do next. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Center py="xl" px="md">
      <Stack gap={6} align="center" maw={420} ta="center">
        <Text fw={600}>{title}</Text>
        <Text c="dimmed" size="sm" component="div">
          {children}
        </Text>
      </Stack>
    </Center>
  );
}

interface NoteProps extends TextProps {
  role?: 'status';
  children: ReactNode;
}

/** A quiet text, beside what it explains. */
export const Note = (props: NoteProps) => <Text size="sm" c="dimmed" {...props} />;

/** The facts about one thing: names with values. Undefined facts are left out. */
export function Facts({ facts }: { facts: Record<string, ReactNode> }) {
  return (
    <SimpleGrid component="dl" minColWidth="10rem" autoFlow="auto-fit" spacing="sm" m={0}>
      {Object.entries(facts).map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <Text component="dt" size="xs" c="dimmed">
              {name}
            </Text>
            <Text component="dd" size="sm" m={0}>
              {value}
            </Text>
          </div>
        ),
      )}
    </SimpleGrid>
  );
}

interface CopyTextProps {
  text: string;
  shown?: string;
  /** A name for screen readers. */
  label?: string;
}

/** An id or another short text, which a click copies. */
export function CopyText({ text, shown = text, label }: CopyTextProps) {
  const name = label ? `${label} ${shown}` : shown;
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : 'Copy'}>
          <UnstyledButton onClick={copy} aria-label={`Copy ${name}`}>
            <Group gap={4} wrap="nowrap">
              <Text className="console-mono" span>
                {shown}
              </Text>
              <Icon name={copied ? 'check' : 'copy'} size={12} />
            </Group>
          </UnstyledButton>
        </Tooltip>
      )}
    </CopyButton>
  );
}
