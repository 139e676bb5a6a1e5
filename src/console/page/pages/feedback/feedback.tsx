import { Page, PageTabs } from '../../parts/page.tsx';
import { ChainTab } from './chain-tab.tsx';
import { NotificationsTab } from './notifications-tab.tsx';
import { ThreadPanel } from './thread-panel.tsx';
import { ThreadsTab } from './threads-tab.tsx';

/** Comment threads, the notifications about them, and the tamper-evident log of activities. */
export const Feedback = () => (
  <Page
    title="Feedback"
    description="Comment threads, who was notified of them and why, and the activity chain."
  >
    <PageTabs
      tabs={[
        { value: 'threads', label: 'Threads', content: <ThreadsTab /> },
        { value: 'notifications', label: 'Notifications', content: <NotificationsTab /> },
        { value: 'chain', label: 'Activity chain', content: <ChainTab /> },
      ]}
    />
    <ThreadPanel />
  </Page>
);
