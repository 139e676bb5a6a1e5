import './feedback.css';
import { Tabs } from '@mantine/core';
import { usePageSearch } from '../../app/use-search.ts';
import { Page } from '../../parts/page.tsx';
import { ChainTab } from './chain-tab.tsx';
import { NotificationsTab } from './notifications-tab.tsx';
import { ThreadPanel } from './thread-panel.tsx';
import { ThreadsTab } from './threads-tab.tsx';

/** What people say to each other, whom it reached, and the log that proves it. */
export function Feedback() {
  const [{ tab = 'threads', annotation }, change] = usePageSearch();
  return (
    <Page
      title="Feedback"
      about="Comment threads, who was notified of them and why, and the activity chain."
    >
      <Tabs
        value={tab}
        onChange={(chosen) => change({ tab: chosen === 'threads' ? undefined : (chosen ?? '') })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="threads">Threads</Tabs.Tab>
          <Tabs.Tab value="notifications">Notifications</Tabs.Tab>
          <Tabs.Tab value="chain">Activity chain</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="threads">
          <ThreadsTab />
        </Tabs.Panel>
        <Tabs.Panel value="notifications">
          <NotificationsTab />
        </Tabs.Panel>
        <Tabs.Panel value="chain">
          <ChainTab />
        </Tabs.Panel>
      </Tabs>
      <ThreadPanel
        annotationId={annotation}
        onClose={() => change({ annotation: undefined, why: undefined })}
      />
    </Page>
  );
}
