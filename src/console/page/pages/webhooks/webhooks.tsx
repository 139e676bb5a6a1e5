import { Anchor } from '@mantine/core';
import { Page } from '../../parts/page.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
import { BasicWebhooks, WithAdvancedWebhooks } from './configuration.tsx';
import { Deliveries } from './deliveries.tsx';
import { DeliveryPanel } from './delivery-panel.tsx';
import { CreateEndpoint } from './endpoint-form.tsx';
import { Endpoints } from './endpoints.tsx';

const ENDPOINTS = (
  <WithAdvancedWebhooks>
    <Endpoints />
  </WithAdvancedWebhooks>
);
const DELIVERIES = (
  <WithAdvancedWebhooks>
    <Deliveries />
  </WithAdvancedWebhooks>
);

/** Endpoints and what is sent to them. */
export function Webhooks() {
  return (
    <Page
      title="Webhooks"
      about="Events are sent to your endpoints as signed requests, and retried until you respond with 2xx."
      actions={
        <>
          <Anchor size="sm" href="/docs/event-types" target="_blank">
            Event types
          </Anchor>
          <CreateEndpoint />
        </>
      }
    >
      <PageTabs
        tabs={[
          { value: 'endpoints', label: 'Endpoints', content: ENDPOINTS },
          { value: 'deliveries', label: 'Deliveries', content: DELIVERIES },
          { value: 'basic', label: 'Basic webhooks', content: <BasicWebhooks /> },
        ]}
        ending={['type', 'endpoint']}
      />
      <DeliveryPanel />
    </Page>
  );
}
