import { z } from 'zod';
import { email, name } from '../../api/fields.ts';
import { isObject, isStorableText } from '../../platform/json.ts';

const notUrl = 'must be an http or https URL, or empty';
const url = z
  .union(
    [
      z.literal(''),
      z
        .url({ protocol: /^https?$/, error: notUrl })
        .max(2048)
        .refine(isStorableText, 'contains a character that cannot be stored'),
    ],
    notUrl,
  )
  .meta({ description: 'An http(s) URL, or empty for none.' });

/** A value of HTTP or mail headers, which must not contain line breaks. */
const headerText = name.refine(
  (text) => !/\p{Cc}/u.test(text),
  'must not contain control characters',
);

const secret = headerText.meta({ description: 'A secret; empty for none.' });

/** Refuses an update without any known setting, such as one with fields in the wrong place. */
export function atLeastOneOf<Shape extends z.ZodRawShape>(shape: Shape) {
  const fields = Object.keys(shape).join(', ');
  return z.object(shape).refine(hasValue, `must give at least one field of ${fields}`);
}

const hasValue = (value: unknown): boolean =>
  isObject(value) ? Object.values(value).some(hasValue) : value !== undefined;

export const emailFields = {
  type: z.enum(['default', 'external']),
  apiKey: secret,
  fromEmail: z.union([z.literal(''), email], 'must be an email address, or empty'),
  fromCompany: headerText,
  commentTemplateId: name,
  tagTemplateId: name,
};

/** Specification 2.3. */
export const emailServiceConfig = z.object(emailFields).partial();

export const webhookFields = {
  authToken: secret,
  rawNotificationUrl: url,
  processedNotificationUrl: url,
};

/** Specification 2.4. */
export const webhookServiceConfig = z.object(webhookFields).partial();
export type WebhookServiceConfigInput = z.infer<typeof webhookServiceConfig>;
