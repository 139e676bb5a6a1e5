import type { ReactNode } from 'react';
import { DocsLink } from '../../parts/links.tsx';
import { Page, PageTabs } from '../../parts/page.tsx';
import { BasicWebhooks, WithAdvancedWebhooks } from './configuration.tsx';
import { Deliveries } from './deliveries.tsx';
import { DeliveryPanel } from './delivery-panel.tsx';
import { CreateEndpoint } from './endpoint-form.tsx';
import { Endpoints } from './endpoints.tsx';

const ifAdvanced = (part: ReactNode) => <WithAdvancedWebhooks>{part}</WithAdvancedWebhooks>;

export const Webhooks = () => (
  <Page
    title="Webhooks"
    description="Events are sent to your endpoints as signed requests, and retried until you respond with 2xx."
    actions={
      <>
        <DocsLink page="event-types" text="Event types" />
        <CreateEndpoint />
      </>
    }
  >
    <PageTabs
      tabs={[
        { value: 'endpoints', label: 'Endpoints', content: ifAdvanced(<Endpoints />) },
        { value: 'deliveries', label: 'Deliveries', content: ifAdvanced(<Deliveries />) },
        { value: 'basic', label: 'Basic webhooks', content: <BasicWebhooks /> },
      ]}
      clearedParameters={['type', 'endpoint']}
    />
    <DeliveryPanel />
  </Page>
);
