import './memory.css';
import { Tabs } from '@mantine/core';
import { usePageSearch } from '../../app/use-search.ts';
import { Page } from '../../parts/page.tsx';
import { AlertsTab } from './alerts-tab.tsx';
import { CalibrationTab } from './calibration-tab.tsx';
import { JudgmentsTab } from './judgments-tab.tsx';
import { RatesTab } from './rates-tab.tsx';
import { SuggestTab } from './suggest-tab.tsx';

/** What was decided, what would be suggested from it, and what is unusual about it. */
export function Memory() {
  const [{ tab = 'alerts' }, change] = usePageSearch();
  return (
    <Page
      title="Memory"
      about="What your people decided, what the server suggests from it, and what is unusual."
    >
      <Tabs
        value={tab}
        onChange={(chosen) => change({ tab: chosen === 'alerts' ? undefined : (chosen ?? '') })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="alerts">Alerts</Tabs.Tab>
          <Tabs.Tab value="suggest">Suggestions</Tabs.Tab>
          <Tabs.Tab value="rates">Approval rates</Tabs.Tab>
          <Tabs.Tab value="calibration">Calibration</Tabs.Tab>
          <Tabs.Tab value="judgments">Judgments</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="alerts">
          <AlertsTab />
        </Tabs.Panel>
        <Tabs.Panel value="suggest">
          <SuggestTab />
        </Tabs.Panel>
        <Tabs.Panel value="rates">
          <RatesTab />
        </Tabs.Panel>
        <Tabs.Panel value="calibration">
          <CalibrationTab />
        </Tabs.Panel>
        <Tabs.Panel value="judgments">
          <JudgmentsTab />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
