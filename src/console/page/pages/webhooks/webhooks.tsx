import { usePageSearch } from '../../app/use-search.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Page } from '../../parts/page.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
import { WithAdvancedWebhooks } from './advanced-webhooks.tsx';
import { BasicWebhooks } from './basic-webhooks.tsx';
import { Deliveries } from './deliveries.tsx';
import { DeliveryPanel } from './delivery-panel.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { Endpoints } from './endpoints.tsx';
import { EventTypes } from './event-types.tsx';
import { SendTestEvent } from './send-test-event.tsx';
import { useEndpoints } from './use-endpoints.ts';

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
  const [{ edit, delivery }, setSearch] = usePageSearch();
  const { data: endpoints } = useEndpoints();
  return (
    <Page
      title="Webhooks"
      about="Events are sent to your endpoints as signed requests, and retried until you respond with 2xx."
      actions={
        <>
          <SendTestEvent />
          <ActButton
            leftSection={<Icon name="plus" size={16} />}
            onClick={() => setSearch({ tab: undefined, edit: 'new' }, 'push')}
          >
            Create endpoint
          </ActButton>
        </>
      }
    >
      <PageTabs
        tabs={[
          { value: 'endpoints', label: 'Endpoints', content: ENDPOINTS },
          { value: 'deliveries', label: 'Deliveries', content: DELIVERIES },
          { value: 'types', label: 'Event types', content: <EventTypes /> },
          { value: 'basic', label: 'Basic webhooks', content: <BasicWebhooks /> },
        ]}
        ending={['type']}
      />
      <DeliveryPanel
        deliveryId={delivery}
        endpoints={endpoints ?? []}
        onClose={() => setSearch({ delivery: undefined })}
      />
      <EndpointForm edited={edit} onClose={() => setSearch({ edit: undefined })} />
    </Page>
  );
}
