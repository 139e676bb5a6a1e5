import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Page, PageTabs } from '../../parts/page.tsx';
import { Section } from '../../parts/panel.tsx';
import { SettingsForm } from '../../parts/settings-form.tsx';
import { Audit } from './audit.tsx';
import { Domains } from './domains.tsx';
import { ErasePeople } from './erase-people.tsx';
import { Keys } from './keys.tsx';
import { BEHAVIOUR_SERVICES, NOTIFICATION_SERVICES } from './services.tsx';

/** A tab with a form for each service. @param footer shown below the forms */
const formTab = (
  value: string,
  label: string,
  services: typeof BEHAVIOUR_SERVICES,
  footer?: ReactNode,
) => ({
  value,
  label,
  content: (
    <Stack maw={860} gap="xl" className="console-sections">
      {services.map(({ title, actions, ...form }) => (
        <Section key={title} title={title} actions={actions}>
          <SettingsForm {...form} />
        </Section>
      ))}
      {footer}
    </Stack>
  ),
});

const TABS = [
  { value: 'keys', label: 'API keys', content: <Keys /> },
  formTab('behaviour', 'Documents and access', BEHAVIOUR_SERVICES, <Domains />),
  formTab('notifications', 'Notifications and logs', NOTIFICATION_SERVICES),
  formTab('data', 'Personal data', [], <ErasePeople />),
  { value: 'audit', label: 'Audit', content: <Audit /> },
] as const;

/** The API keys of the workspace, and everything that can be set for the chosen one. */
export const Settings = () => (
  <Page
    title="Settings"
    description="API keys of the workspace, settings of the chosen key, and personal data."
  >
    <PageTabs tabs={TABS} clearedParameters={['opened', 'user', 'q']} />
  </Page>
);
