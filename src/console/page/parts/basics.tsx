import {
  Alert,
  Box,
  Button,
  Center,
  CopyButton,
  Group,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  type TextProps,
  Tooltip,
  UnstyledButton,
} from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { toCollaborationError } from '../../../client/error.ts';
import { Listeners } from '../../../client/listeners.ts';
import type { LoadedQuery } from '../api/read.ts';
import { Icon } from './icon.tsx';

// The parts that nearly every page uses.

interface LoadedProps<Data> {
  query: LoadedQuery<Data>;
  children: (data: NonNullable<Data>) => ReactNode;
  /** The name of the resource, for the message that it was not found. Required if the data may be null. */
  noun?: string;
  /** How many grey lines are shown while it is loading. */
  lines?: number;
}

/** Shows the data of a query, a placeholder while it loads, or a failure. Earlier data stays visible after a failure. */
export function Loaded<Data>({ query, children, noun, lines = 4 }: LoadedProps<Data>) {
  const { data, error, isPending, refetch } = query;
  return (
    <>
      {error && <Failure error={error} retry={() => void refetch()} />}
      {data === null && (
        <Empty title={`${noun} not found`}>It was deleted, or it belongs to another API key.</Empty>
      )}
      {data !== undefined && data !== null && children(data)}
      {isPending && !error && (
        <Stack gap="xs" role="status" aria-label="Loading">
          {Array.from({ length: lines }, (_, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
            <Skeleton height={22} radius="sm" key={line} />
          ))}
        </Stack>
      )}
    </>
  );
}

/** A failed call: the API's message, the problems of single fields, and the request id for support. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const { message, issues, requestId, status } = toCollaborationError(error);
  return (
    <Alert color="red" icon={<Icon name="warning" />} title={message} role="alert">
      {issues.map(({ path, message: problem }) => (
        <Text key={`${path} ${problem}`}>
          {path}: {problem}
        </Text>
      ))}
      <Group gap="xs" mt={4}>
        <Note size="xs">{status}</Note>
        {requestId && (
          <>
            <Note size="xs">Request ID</Note>
            <CopyText text={requestId} />
          </>
        )}
        {retry && (
          <Button size="compact-xs" variant="light" color="red" onClick={retry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** Shown in place of a page that cannot be loaded or rendered. */
export function PageFailure({ error }: { error: unknown }) {
  const router = useRouter();
  return (
    <Box p="lg" maw={720}>
      <Failure error={error} retry={() => void router.invalidate()} />
    </Box>
  );
}

/** Replaces an empty list: says what would be here, and what to do next. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <Center py="xl" px="md">
    <Stack gap={6} align="center" maw={420} ta="center">
      <Text size="md" fw={600}>
        {title}
      </Text>
      <Text c="dimmed" component="div">
        {children}
      </Text>
    </Stack>
  </Center>
);

export const nameOf = (person: { userId: string; name?: string | null }): string =>
  person.name ?? person.userId;

/** Returns `Status changed` for `statusChanged`. */
export function inWords(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

interface NoteProps extends TextProps {
  role?: 'status';
  children: ReactNode;
}

/** A quiet text that explains its surroundings. */
export const Note = (props: NoteProps) => <Text c="dimmed" {...props} />;

/** The facts about one thing: names with values. Facts without a value are left out. */
export const Facts = ({ facts }: { facts: Record<string, ReactNode> }) => (
  <SimpleGrid component="dl" minColWidth="10rem" autoFlow="auto-fit" spacing="sm" m={0}>
    {Object.entries(facts).map(([name, value]) =>
      value == null ? null : (
        <div key={name}>
          <Text component="dt" size="xs" c="dimmed">
            {name}
          </Text>
          <Text component="dd" m={0}>
            {value}
          </Text>
        </div>
      ),
    )}
  </SimpleGrid>
);

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

const EXACT_FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const RELATIVE_FORMAT = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
const UNITS: Array<[unit: Intl.RelativeTimeFormatUnit, ms: number]> = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
/** A time that is closer to now than this is shown without a number. */
const NEAR_MS = 10_000;
/** The clocks of server and browser may differ by this much. A time up to this far in the future counts as now. */
const CLOCK_DIFFERENCE_MS = NEAR_MS / 3;

/** How often each `Time` computes its text again. */
const REFRESH_MS = 10_000;
/** The time of the last refresh. */
let now = Date.now();
const listeners = new Listeners();

// All `Time` components share this timer: lists show many of them, and replace them during scrolling.
setInterval(() => {
  now = Date.now();
  listeners.notify();
}, REFRESH_MS);

/** A time as `3 min. ago` or `in 2 hr.`. Its tooltip is the exact time in the viewer's time zone. */
export function Time({ at }: { at: number | string | Date | null | undefined }) {
  useSyncExternalStore(listeners.subscribe, () => now);
  const date = new Date(at ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return '–';
  return (
    <time dateTime={date.toISOString()} title={EXACT_FORMAT.format(date)}>
      {relative(date.getTime() - Date.now())}
    </time>
  );
}

export const TimeNote = (props: { at: number | string }) => (
  <Note size="xs">
    <Time {...props} />
  </Note>
);

function relative(ms: number): string {
  if (Math.abs(ms) < NEAR_MS) return ms > CLOCK_DIFFERENCE_MS ? 'in a few seconds' : 'just now';
  const [unit, length] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? ['second', 1000];
  return RELATIVE_FORMAT.format(Math.round(ms / length), unit);
}

/** Code or data, which a click copies. The browser shows it as text, whatever is in it. */
export const Code = ({ text, label }: { text: string; label: string }) => (
  <Box pos="relative">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the focus */}
    <section className="console-code" tabIndex={0} aria-label={label}>
      {text}
    </section>
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button size="compact-xs" variant="default" pos="absolute" top={6} right={6} onClick={copy}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
      )}
    </CopyButton>
  </Box>
);

export const Json = ({ value, label = 'JSON' }: { value: unknown; label?: string }) => (
  <Code text={JSON.stringify(value, null, 2) ?? 'undefined'} label={label} />
);

type FoldProps = { title: ReactNode; isOpenAtFirst?: boolean; children: ReactNode };

/** A part of a page that is rendered only while it is unfolded. */
export function Fold({ title, isOpenAtFirst = false, children }: FoldProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <details
      className="console-fold"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{title}</summary>
      {isOpen && children}
    </details>
  );
}
