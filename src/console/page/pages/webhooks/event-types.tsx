import { Grid, NavLink, ScrollArea, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type EventCatalogue, type EventType, eventCatalogue } from '../../api/documents.ts';
import { usePageSearch } from '../../app/search.ts';
import { Json } from '../../parts/code.tsx';
import { Empty } from '../../parts/empty.tsx';
import { PageLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/panel.tsx';
import { ShortTable } from '../../parts/rows.tsx';
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
      <Section title="Example">
        <Json value={example} label={`Example of ${name}`} />
      </Section>
      <Section title="Fields">
        <ShortTable
          label={`Fields of ${name}`}
          rows={fieldsOf(schema, schemas)}
          keyOf={({ path }) => path}
          columns={[
            { head: 'Field', isId: true, cell: ({ path }) => path },
            { head: 'Type', isId: true, cell: ({ type }) => type },
            {
              head: 'Description',
              cell: ({ description, isRequired }) =>
                `${description}${isRequired ? '' : ' Optional.'}`,
            },
          ]}
        />
      </Section>
    </Stack>
  );
}
