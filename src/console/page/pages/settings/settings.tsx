import { Stack } from '@mantine/core';
import { Page } from '../../parts/page.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
import { Audit } from './audit.tsx';
import { Domains } from './domains.tsx';
import { ErasePeople } from './erase-people.tsx';
import { Keys } from './keys.tsx';
import {
  ActivityLog,
  Defaults,
  Emails,
  MemoryAlerts,
  ModelKeys,
  Notifications,
} from './services.tsx';

const tab = (value: string, label: string, ...content: React.ReactNode[]) => ({
  value,
  label,
  content: (
    <Stack maw={860} gap="xl">
      {content}
    </Stack>
  ),
});

/** The keys of the workspace, and everything that can be set for the chosen one. */
export function Settings() {
  return (
    <Page title="Settings" about="Keys of the workspace, services of this key, and personal data.">
      <PageTabs
        tabs={[
          { value: 'keys', label: 'API keys', content: <Keys /> },
          tab(
            'behaviour',
            'Documents and access',
            <Defaults key="defaults" />,
            <Domains key="domains" />,
            <ModelKeys key="models" />,
          ),
          tab(
            'notifications',
            'Notifications and logs',
            <Notifications key="notifications" />,
            <Emails key="email" />,
            <ActivityLog key="activity" />,
            <MemoryAlerts key="memory" />,
          ),
          tab('data', 'Personal data', <ErasePeople key="erase" />),
          { value: 'audit', label: 'Audit', content: <Audit /> },
        ]}
        ending={['opened', 'user']}
      />
    </Page>
  );
}
