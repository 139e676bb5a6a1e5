import { z } from 'zod';
import { checkFreeJson, id, name, text } from '../../api/fields.ts';
import { isStorableText } from '../../platform/json.ts';
import { eventType } from '../events/schema.ts';

const url = z
  .string()
  .max(2048)
  .refine(isWebAddress, 'must be an http or https URL without credentials')
  .refine(isStorableText, 'contains a character that cannot be stored')
  .meta({ description: 'An http or https URL.' });

function isWebAddress(value: string): boolean {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username === '' && password === '';
}

const filterTypes = z.array(eventType).min(1).max(100);

const channels = z
  .array(text(300).min(1))
  .min(1)
  .max(100)
  .meta({ description: '`organization:<id>`, `folder:<id>`, `document:<id>`, `user:<id>`.' });

const rateLimit = z
  .number()
  .int()
  .positive()
  .max(1_000_000)
  .meta({ description: 'The most deliveries per second.' });

const metadata = z.record(z.string(), z.string()).superRefine(checkFreeJson);

const fields = {
  url,
  description: name,
  filterTypes,
  channels,
  disabled: z.boolean(),
  rateLimit,
  metadata,
};

const optionalFields = z.object(fields).partial().shape;

export const CreateEndpoint = z.object({
  ...optionalFields,
  url,
  uid: id.optional().meta({ description: 'A name of your own, unique within the key.' }),
});
export type CreateEndpointInput = z.infer<typeof CreateEndpoint>;

export const UpdateEndpoint = z
  .object({ endpointId: id, ...optionalFields })
  .refine(
    ({ endpointId: _, ...fields }) => Object.values(fields).some((value) => value !== undefined),
    `must contain at least one of ${Object.keys(optionalFields).join(', ')}`,
  );
export type UpdateEndpointInput = z.infer<typeof UpdateEndpoint>;

export const EndpointId = z.object({ endpointId: id });

/** The page size, and the iterator from an earlier response. */
const pageFields = {
  limit: z.number().int().min(1).max(250).default(50),
  iterator: z.string().max(4096).optional(),
};

export const GetEndpoints = z.object(pageFields);
export type GetEndpointsInput = z.infer<typeof GetEndpoints>;

/** A webhook endpoint as callers receive it (specification 2.6). */
export const endpoint = z
  .object({
    id: z.string(),
    url: z.string(),
    description: z.string().nullable(),
    filterTypes: z.array(z.string()).nullable(),
    channels: z.array(z.string()).nullable(),
    disabled: z.boolean(),
    rateLimit: z.number().int().nullable(),
    uid: z.string().nullable(),
    metadata: z.record(z.string(), z.string()).nullable(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'WebhookEndpoint' });
export type Endpoint = z.infer<typeof endpoint>;

export const endpointPage = z.object({
  endpoints: z.array(endpoint),
  iterator: z
    .string()
    .nullable()
    .meta({ description: 'The token for the next page; null on the last page.' }),
  prevIterator: z.string().nullable().meta({ description: 'The token for the previous page.' }),
  done: z.boolean(),
});

export const endpointSecret = z
  .object({
    endpointId: z.string(),
    secret: z.string().meta({ description: '`whsec_` and the key in base64.' }),
  })
  .meta({ id: 'WebhookSecret' });

const status = z
  .enum(['pending', 'delivered', 'failed', 'disabled'])
  .meta({ id: 'DeliveryStatus' });
export type DeliveryStatus = z.infer<typeof status>;

/** A time, up to the last one that a `Date` can hold. */
const since = z.number().int().nonnegative().max(8.64e15);

export const GetDeliveries = z.object({
  endpointId: id.optional(),
  status: status
    .optional()
    .meta({ description: '`disabled`: the delivery waits until its endpoint is enabled again.' }),
  type: eventType.optional(),
  since: since
    .optional()
    .meta({ description: 'Only deliveries of events since this time, in epoch milliseconds.' }),
  ...pageFields,
});
export type GetDeliveriesInput = z.infer<typeof GetDeliveries>;

const attempt = z
  .object({
    at: z.number().int().meta({ description: 'Epoch milliseconds.' }),
    statusCode: z.number().int().nullable(),
    latencyMs: z.number().int(),
    error: z.string().nullable(),
    excerpt: z.string().nullable().meta({ description: 'The response, up to 16 KB.' }),
  })
  .meta({ id: 'DeliveryAttempt' });
export type PresentedAttempt = z.infer<typeof attempt>;

const delivery = z
  .object({
    id: z.string(),
    endpointId: z.string(),
    eventId: z.string(),
    eventType: z.string(),
    status,
    nextAttemptAt: z.number().int().nullable().meta({ description: 'Epoch milliseconds.' }),
    attempts: z.array(attempt),
  })
  .meta({ id: 'Delivery' });
export type PresentedDelivery = z.infer<typeof delivery>;

export const deliveryPage = z.object({
  deliveries: z.array(delivery),
  iterator: z.string().nullable(),
  done: z.boolean(),
});

export const DeliveryId = z.object({ deliveryId: id });

export const RecoverEndpoint = z.object({
  endpointId: id,
  since: since.meta({ description: 'Epoch milliseconds, at most 14 days ago.' }),
});
export type RecoverEndpointInput = z.infer<typeof RecoverEndpoint>;
