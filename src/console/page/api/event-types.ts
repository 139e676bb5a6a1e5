import { queryOptions, useQuery } from '@tanstack/react-query';

/** A JSON schema, as far as the catalogue reads it. */
export interface Schema {
  type?: string | string[];
  $ref?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
}

export interface EventType {
  name: string;
  summary: string;
  schema: Schema;
  example: unknown;
}

interface Message {
  name: string;
  summary: string;
  payload: Schema;
  examples?: Array<{ payload: unknown }>;
}

interface AsyncApi {
  channels: { webhooks: { messages: Record<string, unknown> } };
  components: { messages: Record<string, Message>; schemas: Record<string, Schema> };
}

export interface EventCatalogue {
  types: EventType[];
  schemas: Record<string, Schema>;
}

/** The types of events, from the server's own document, which does not change while it runs. */
export const eventCatalogue = queryOptions({
  queryKey: ['event catalogue'],
  queryFn: async ({ signal }): Promise<EventCatalogue> => {
    const { channels, components } = (await (
      await fetch('/asyncapi.json', { signal })
    ).json()) as AsyncApi;
    const types = Object.keys(channels.webhooks.messages).flatMap((name) => {
      const message = components.messages[name];
      if (!message) return [];
      const { summary, payload: schema, examples } = message;
      return [{ name, summary, schema, example: examples?.[0]?.payload }];
    });
    return { types, schemas: components.schemas };
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** The names of all types, once they are known. */
export function useEventTypes(): string[] {
  const { data } = useQuery(eventCatalogue);
  return data?.types.map(({ name }) => name) ?? [];
}
