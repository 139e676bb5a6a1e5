import { Grid, NavLink, ScrollArea, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type EventCatalogue, type EventType, eventCatalogue } from '../../api/event-types.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { Empty } from '../../parts/empty.tsx';
import { Json } from '../../parts/json.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { fieldsOf } from './schema-fields.ts';

/** Every type of event with its fields and an example, from the server's own document. */
export function EventTypes() {
  const catalogue = useQuery(eventCatalogue);
  return <Loaded query={catalogue}>{(data) => <Catalogue {...data} />}</Loaded>;
}

function Catalogue({ types, schemas }: EventCatalogue) {
  const [{ type }, setSearch] = usePageSearch();
  const [wanted, setWanted] = useState('');
  const found = types.filter(({ name, summary }) =>
    `${name} ${summary}`.toLowerCase().includes(wanted.toLowerCase()),
  );
  const chosen = types.find(({ name }) => name === type) ?? types[0];
  return (
    <Grid>
      <Grid.Col span={{ base: 12, sm: 4 }}>
        <Stack gap="xs">
          <TextInput
            label="Search event types"
            value={wanted}
            onChange={({ currentTarget }) => setWanted(currentTarget.value)}
          />
          <ScrollArea.Autosize mah={{ base: 220, sm: 620 }} type="auto">
            {found.map(({ name }) => (
              <NavLink
                key={name}
                component="button"
                label={<span className="console-mono">{name}</span>}
                active={name === chosen?.name}
                aria-current={name === chosen?.name ? 'true' : undefined}
                onClick={() => setSearch({ type: name }, 'push')}
              />
            ))}
            {found.length === 0 && (
              <Empty title="No matching event types">Try part of a name.</Empty>
            )}
          </ScrollArea.Autosize>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, sm: 8 }}>
        {chosen && <Details type={chosen} schemas={schemas} />}
      </Grid.Col>
    </Grid>
  );
}

interface DetailsProps {
  type: EventType;
  schemas: EventCatalogue['schemas'];
}

function Details({ type: { name, summary, schema, example }, schemas }: DetailsProps) {
  const fields = fieldsOf(schema, schemas);
  return (
    <Stack>
      <div>
        <Title order={2} size="h4">
          {name}
        </Title>
        <Text size="sm">{summary}</Text>
        <PageLink page="events" search={{ type: name }}>
          Events of this type
        </PageLink>
      </div>
      <Title order={3} size="h5">
        Example
      </Title>
      <Json value={example} label={`Example of ${name}`} />
      <Title order={3} size="h5">
        Fields
      </Title>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the focus */}
      <section className="console-scroll" tabIndex={0} aria-label={`Fields of ${name}`}>
        <Table layout="auto">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Field</Table.Th>
              <Table.Th>Type</Table.Th>
              <Table.Th>Description</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {fields.map((field) => (
              <Table.Tr key={field.path}>
                <Table.Td className="console-mono">{field.path}</Table.Td>
                <Table.Td className="console-mono">{field.type}</Table.Td>
                <Table.Td>
                  <Text size="sm">
                    {field.description}
                    {!field.isRequired && ' Optional.'}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
    </Stack>
  );
}
