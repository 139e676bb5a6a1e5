import { Button, Tabs } from '@mantine/core';
import { usePageSearch } from '../../app/use-search.ts';
import { Icon } from '../../parts/icon.tsx';
import { Page } from '../../parts/page.tsx';
import { WithAdvancedWebhooks } from './advanced-webhooks.tsx';
import { BasicWebhooks } from './basic-webhooks.tsx';
import { Deliveries } from './deliveries.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { Endpoints } from './endpoints.tsx';
import { EventTypes } from './event-types.tsx';
import { SendTestEvent } from './send-test-event.tsx';

/** Endpoints and what is sent to them. */
export function Webhooks() {
  const [search, setSearch] = usePageSearch();
  const { tab = 'endpoints', edit } = search;
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
      <Tabs
        value={tab}
        onChange={(value) => setSearch({ tab: value ?? undefined, type: undefined }, 'push')}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="endpoints">Endpoints</Tabs.Tab>
          <Tabs.Tab value="deliveries">Deliveries</Tabs.Tab>
          <Tabs.Tab value="types">Event types</Tabs.Tab>
          <Tabs.Tab value="basic">Basic webhooks</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="endpoints">
          <WithAdvancedWebhooks>
            <Endpoints />
          </WithAdvancedWebhooks>
        </Tabs.Panel>
        <Tabs.Panel value="deliveries">
          <WithAdvancedWebhooks>
            <Deliveries />
          </WithAdvancedWebhooks>
        </Tabs.Panel>
        <Tabs.Panel value="types">
          <EventTypes />
        </Tabs.Panel>
        <Tabs.Panel value="basic">
          <BasicWebhooks />
        </Tabs.Panel>
      </Tabs>
      <EndpointForm edited={edit} onClose={() => setSearch({ edit: undefined })} />
    </Page>
  );
}
