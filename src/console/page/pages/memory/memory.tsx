import { Page } from '../../parts/page.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
import { AlertsTab } from './alerts-tab.tsx';
import { JudgmentsTab } from './judgments-tab.tsx';
import { RatesTab } from './rates-tab.tsx';
import { SuggestTab } from './suggest-tab.tsx';

/** Judgments, the suggestions that follow from them, and alerts about them. */
export function Memory() {
  return (
    <Page
      title="Memory"
      about="Past decisions, suggestions based on them, and alerts about unusual ones."
    >
      <PageTabs
        tabs={[
          { value: 'alerts', label: 'Alerts', content: <AlertsTab /> },
          { value: 'suggest', label: 'Suggestions', content: <SuggestTab /> },
          { value: 'rates', label: 'Approval rates', content: <RatesTab /> },
          { value: 'judgments', label: 'Judgments', content: <JudgmentsTab /> },
        ]}
      />
    </Page>
  );
}
