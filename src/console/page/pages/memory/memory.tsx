import { Page } from '../../parts/page.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
import { AlertsTab } from './alerts-tab.tsx';
import { JudgmentsTab } from './judgments-tab.tsx';

/** Judgments, and alerts about them. */
export function Memory() {
  return (
    <Page title="Memory" about="Past decisions, and alerts about unusual ones.">
      <PageTabs
        tabs={[
          { value: 'alerts', label: 'Alerts', content: <AlertsTab /> },
          { value: 'judgments', label: 'Judgments', content: <JudgmentsTab /> },
        ]}
      />
    </Page>
  );
}
