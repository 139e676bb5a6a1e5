import { Anchor, Stack } from '@mantine/core';
import { useRead } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { Json } from '../../parts/code.tsx';
import { EventDeliveries } from '../../parts/event-deliveries.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Panel, Section } from '../../parts/panel.tsx';
import { CopyText, Facts, Note } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';

/** One event: where it happened, its data, and the webhooks that it left as. */
export function EventPanel() {
  const [{ id: eventId }] = usePageSearch();
  const event = useRead('console.events.inspect', eventId ? { eventId } : undefined);
  return (
    <Panel of="id" title={event.data?.type ?? 'Event'}>
      {() => (
        <Loaded query={event}>
          {({ id, type, at, organizationId, documentId, data, deliveries }) => (
            <Stack>
              <Facts
                facts={{
                  ID: <CopyText text={id} />,
                  Type: (
                    <Anchor size="sm" href={`/docs/event-types/${type}`} target="_blank">
                      {type}
                    </Anchor>
                  ),
                  When: <Time at={at} />,
                  Organization: organizationId ? <CopyText text={organizationId} /> : undefined,
                  Document: documentId ? <CopyText text={documentId} /> : undefined,
                  Link: <CopyText text={location.href} shown="permalink" />,
                }}
              />
              <Section title="Deliveries">
                {deliveries.length === 0 ? (
                  <Note>Not sent to any webhook endpoint.</Note>
                ) : (
                  <EventDeliveries deliveries={deliveries} />
                )}
              </Section>
              <Section title="Data">
                <Json value={data} label="Data of the event" />
              </Section>
            </Stack>
          )}
        </Loaded>
      )}
    </Panel>
  );
}
