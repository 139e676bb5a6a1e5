import { Group, Stack, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Calls } from './calls.tsx';
import { Note } from './text.tsx';

interface PageProps {
  title: string;
  /** The purpose of the page, in a sentence. */
  about?: ReactNode;
  /** Buttons of the whole page. */
  actions?: ReactNode;
  children: ReactNode;
}

/** The head and body of every page. */
export function Page({ title, about, actions, children }: PageProps) {
  useDocumentTitle(`${title} · Collaboration console`);
  return (
    <Stack gap="lg" maw={1280} mx="auto">
      <Group justify="space-between" align="flex-start">
        <div className="console-head">
          <Title order={1} size="h2">
            {title}
          </Title>
          {about && <Note>{about}</Note>}
        </div>
        <Group gap="xs" className="console-actions">
          <Calls />
          {actions}
        </Group>
      </Group>
      {children}
    </Stack>
  );
}
