import { Box, Group, Stack, Tabs, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef } from 'react';
import { cleared, type PageSearch, usePageSearch } from '../app/search.ts';
import { Note } from './basics.tsx';
import { Calls } from './calls.tsx';

interface PageProps {
  title: string;
  /** The purpose of the page, in a sentence. */
  description?: ReactNode;
  /** Buttons for the whole page. */
  actions?: ReactNode;
  children: ReactNode;
}

/** The head and body of every page. */
export function Page({ title, description, actions, children }: PageProps) {
  useDocumentTitle(`${title} · Collaboration console`);
  return (
    <Stack gap="lg" maw={1280} mx="auto">
      <Group justify="space-between" align="flex-start">
        <Box flex="1 1 16rem">
          <Title order={1} size="h2">
            {title}
          </Title>
          {description && <Note>{description}</Note>}
        </Box>
        <Group gap="xs" className="console-actions">
          <Calls />
          {actions}
        </Group>
      </Group>
      {children}
    </Stack>
  );
}

interface PageTab {
  value: string;
  label: string;
  content: ReactNode;
}

interface PageTabsProps {
  tabs: readonly [PageTab, ...PageTab[]];
  /** The search parameter of the address that names the tab. Without it, the first tab is open. */
  parameter?: 'tab' | 'list';
  /** Search parameters that a change of the tab clears. */
  clearedParameters?: readonly (keyof PageSearch)[];
}

/** The tabs of a page. The open tab is in the address, so that it can be shared. */
export function PageTabs({ tabs, parameter = 'tab', clearedParameters = [] }: PageTabsProps) {
  const [search, changeSearch] = usePageSearch();
  const [first] = tabs;
  const { value: open } = tabs.find(({ value }) => value === search[parameter]) ?? first;
  const list = useRef<HTMLDivElement>(null);
  // On narrow screens, the open tab may be out of sight, so it is scrolled into view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs when the open tab changes
  useEffect(() => {
    const tab = list.current?.querySelector('[aria-selected="true"]');
    tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [open]);
  const choose = (next: string | null) => {
    const tab = next === first.value ? undefined : (next ?? '');
    changeSearch({ ...cleared(clearedParameters), [parameter]: tab }, 'push');
  };
  return (
    <Tabs value={open} onChange={choose} keepMounted={false}>
      <Tabs.List mb="md" ref={list} className="console-tabs">
        {tabs.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ value, content }) => (
        <Tabs.Panel key={value} value={value}>
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
