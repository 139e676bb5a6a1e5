import { Fieldset, SimpleGrid, Switch, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';

export type TriggerValues = Record<string, Record<string, boolean>>;

interface OpenApi {
  components: {
    schemas: {
      NotificationConfig: {
        properties: {
          triggers: { properties: Record<string, { properties: Record<string, unknown> }> };
        };
      };
    };
  };
}

/** The triggers that exist, from the server's own document, which does not change while it runs. */
const triggerNames = queryOptions({
  queryKey: ['trigger names'],
  queryFn: async ({ signal }): Promise<TriggerValues> => {
    const { components } = (await (await fetch('/openapi.json', { signal })).json()) as OpenApi;
    const { properties } = components.schemas.NotificationConfig.properties.triggers;
    return Object.fromEntries(
      Object.entries(properties).map(([feature, { properties: names }]) => [
        feature,
        Object.fromEntries(Object.keys(names).map((name) => [name, false])),
      ]),
    );
  },
  staleTime: Number.POSITIVE_INFINITY,
});

interface TriggersProps {
  triggers: TriggerValues;
  onChange: (triggers: TriggerValues) => void;
  error?: string | undefined;
}

/** A switch for each trigger, those that nobody has set yet included. */
export function Triggers({ triggers, onChange, error }: TriggersProps) {
  const { data: known = {} } = useQuery(triggerNames);
  const features = [...new Set([...Object.keys(known), ...Object.keys(triggers)])];
  return features.map((feature) => {
    const values = { ...known[feature], ...triggers[feature] };
    return (
      <Fieldset
        key={feature}
        legend={`${feature.charAt(0).toUpperCase()}${feature.slice(1)} triggers`}
      >
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="xs">
          {Object.entries(values).map(([name, isOn]) => (
            <Switch
              key={name}
              label={inWords(name)}
              checked={isOn}
              onChange={({ currentTarget }) =>
                onChange({
                  ...triggers,
                  [feature]: { ...triggers[feature], [name]: currentTarget.checked },
                })
              }
            />
          ))}
        </SimpleGrid>
        {error && (
          <Text size="sm" c="red" mt="xs" role="alert">
            {error}
          </Text>
        )}
      </Fieldset>
    );
  });
}

/** `statusChanged` as `Status changed`. */
function inWords(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The triggers that differ, so that what others change meanwhile stays. */
export function changedTriggers(triggers: TriggerValues, stored: TriggerValues): TriggerValues {
  const entries = Object.entries(triggers).map(([feature, values]) => {
    const changed = Object.entries(values).filter(
      ([name, isOn]) => stored[feature]?.[name] !== isOn,
    );
    return [feature, Object.fromEntries(changed)] as const;
  });
  return Object.fromEntries(entries.filter(([, changed]) => Object.keys(changed).length > 0));
}
