import { Button } from '@mantine/core';
import { usePageSearch } from '../../app/use-search.ts';
import { Icon } from '../../parts/icon.tsx';
import { Page } from '../../parts/page.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
import { WithAdvancedWebhooks } from './advanced-webhooks.tsx';
import { BasicWebhooks } from './basic-webhooks.tsx';
import { Deliveries } from './deliveries.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { Endpoints } from './endpoints.tsx';
import { EventTypes } from './event-types.tsx';
import { SendTestEvent } from './send-test-event.tsx';

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
  const [{ edit }, setSearch] = usePageSearch();
  return (
    <Page
      title="Webhooks"
      about="Events leave as signed requests to your endpoints, and are repeated until they are answered with 2xx."
      actions={
        <>
          <SendTestEvent />
          <Button
            leftSection={<Icon name="plus" size={16} />}
            onClick={() => setSearch({ tab: undefined, edit: 'new' }, 'push')}
          >
            New endpoint
          </Button>
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
      <EndpointForm edited={edit} onClose={() => setSearch({ edit: undefined })} />
    </Page>
  );
}
