import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePageSearch } from '../../app/use-search.ts';
import { Page } from '../../parts/page.tsx';
import { ActivitySettings } from './activity-settings.tsx';
import { Data } from './data.tsx';
import { Domains } from './domains.tsx';
import { EmailSettings } from './email-settings.tsx';
import { KeyBehaviour } from './key-behaviour.tsx';
import { Keys } from './keys.tsx';
import { MemorySettings } from './memory-settings.tsx';
import { ModelKeys } from './model-keys.tsx';
import { NotificationSettings } from './notification-settings.tsx';

const SECTIONS: Array<[tab: string, label: string, content: ReactNode]> = [
  ['keys', 'Workspace and keys', <Keys key="keys" />],
  ['behaviour', 'Behaviour', <KeyBehaviour key="behaviour" />],
  ['domains', 'Domains', <Domains key="domains" />],
  ['notifications', 'Notifications', <NotificationSettings key="notifications" />],
  ['email', 'E-mail', <EmailSettings key="email" />],
  ['activity', 'Activity log', <ActivitySettings key="activity" />],
  ['memory', 'Memory', <MemorySettings key="memory" />],
  ['models', 'Models', <ModelKeys key="models" />],
  ['data', 'Data', <Data key="data" />],
];

/** The keys of the workspace, and everything that can be set for the chosen one. */
export function Settings() {
  const [{ tab = 'keys' }, setSearch] = usePageSearch();
  return (
    <Page
      title="Settings"
      about="The keys of the workspace, the services of the chosen key, and the data of its people."
    >
      <Tabs
        value={tab}
        onChange={(value) => setSearch({ tab: value ?? undefined, opened: undefined }, 'push')}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {SECTIONS.map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {SECTIONS.map(([value, , content]) => (
          <Tabs.Panel key={value} value={value}>
            {content}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
