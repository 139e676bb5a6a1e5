import { Page } from '../../parts/page.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
import { ActivitySettings } from './activity-settings.tsx';
import { Data } from './data.tsx';
import { Domains } from './domains.tsx';
import { EmailSettings } from './email-settings.tsx';
import { KeyBehaviour } from './key-behaviour.tsx';
import { Keys } from './keys.tsx';
import { MemorySettings } from './memory-settings.tsx';
import { ModelKeys } from './model-keys.tsx';
import { NotificationSettings } from './notification-settings.tsx';

/** The keys of the workspace, and everything that can be set for the chosen one. */
export function Settings() {
  return (
    <Page title="Settings" about="Keys of the workspace, services of this key, and personal data.">
      <PageTabs
        tabs={[
          { value: 'keys', label: 'API keys', content: <Keys /> },
          { value: 'behaviour', label: 'Defaults', content: <KeyBehaviour /> },
          { value: 'domains', label: 'Domains', content: <Domains /> },
          { value: 'notifications', label: 'Notifications', content: <NotificationSettings /> },
          { value: 'email', label: 'Email', content: <EmailSettings /> },
          { value: 'activity', label: 'Activity log', content: <ActivitySettings /> },
          { value: 'memory', label: 'Memory', content: <MemorySettings /> },
          { value: 'models', label: 'AI models', content: <ModelKeys /> },
          { value: 'data', label: 'Data', content: <Data /> },
        ]}
        ending={['opened']}
      />
    </Page>
  );
}
