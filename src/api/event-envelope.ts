import { z } from 'zod';

const eventMetadata = z
  .object({
    apiKey: z.string(),
    organizationId: z.string().optional(),
    documentId: z.string().optional(),
  })
  .meta({ id: 'EventMetadata' });

/** An event as `events/get`, webhooks and subscriptions show it. */
export const eventEnvelope = <Type extends z.ZodType<string>, Data extends z.ZodType>(
  type: Type,
  data: Data,
) =>
  z.object({
    id: z.string(),
    type,
    timestamp: z.iso.datetime(),
    metadata: eventMetadata,
    data,
  });
