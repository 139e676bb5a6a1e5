import { Alert, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRead } from '../../api/read.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Loaded, Note } from '../../parts/basics.tsx';
import type { Field } from '../../parts/fields.tsx';
import { PageLink } from '../../parts/links.tsx';
import { SettingsForm } from '../../parts/settings-form.tsx';

/** Shows the children while advanced webhooks are on, and otherwise a button that turns them on. */
export const WithAdvancedWebhooks = ({ children }: { children: ReactNode }) => (
  <Loaded query={useRead('advancedWebhookConfig.get', {})}>
    {({ isEnabled }) =>
      isEnabled ? (
        children
      ) : (
        <Alert title="Webhook endpoints are off for this key" color="blue">
          <Stack align="flex-start" gap="xs">
            <Text>
              Turn them on to send events to your endpoints. Requests are signed, failed ones are
              retried for more than a day, and every attempt is listed here.
            </Text>
            <AdvancedSwitch isEnabled={false} />
          </Stack>
        </Alert>
      )
    }
  </Loaded>
);

export const AdvancedSwitch = ({ isEnabled }: { isEnabled: boolean }) => (
  <ActionButton
    label={isEnabled ? 'Turn off webhook endpoints' : 'Turn on'}
    variant={isEnabled ? 'subtle' : 'filled'}
    color={isEnabled ? 'gray' : 'indigo'}
    run={(call) => call('advancedWebhookConfig.update', { isEnabled: !isEnabled })}
    notice={`Webhook endpoints are ${isEnabled ? 'off' : 'on'}.`}
    question={isEnabled ? 'Turn off webhook endpoints?' : undefined}
    consequences="No endpoint of this key receives anything until you turn them on again. Pending deliveries are kept. Events that happen in the meantime are never delivered."
    confirmLabel="Turn off"
  />
);

const BASIC_FIELDS: Field[] = [
  { name: 'useWebhookService', label: 'Send basic webhooks', kind: 'switch' },
  {
    name: 'webhookServiceConfig.rawNotificationUrl',
    label: 'URL for raw events',
    description: 'Leave empty to send no raw events.',
  },
  {
    name: 'webhookServiceConfig.processedNotificationUrl',
    label: 'URL for processed events',
    description: 'Leave empty to send no processed events.',
  },
  {
    name: 'webhookServiceConfig.authToken',
    label: 'New token',
    description: 'Sent with each request as “Authorization: Basic <token>”.',
    kind: 'secret',
  },
];

/** The two basic webhooks, each of which sends unsigned requests to one URL. */
export const BasicWebhooks = () => (
  <Stack maw={640}>
    <Note>
      The URL for raw events receives every event. The URL for processed events receives only events
      of comments and notifications, with the users to notify. Requests are not signed, but carry
      your token.
    </Note>
    <SettingsForm settings="webhookConfig" fields={BASIC_FIELDS} />
    <PageLink
      page="webhooks"
      search={{ tab: 'deliveries', endpoint: 'basic-raw' }}
      text="Deliveries of the raw webhook"
    />
  </Stack>
);
