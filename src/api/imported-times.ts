import { z } from 'zod';
import { invalidField } from '../platform/errors.ts';
import type { KeyContext } from './context.ts';

const pastMs = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional();

/** The time of something that an API key imports. */
export const importedTime = pastMs.meta({
  description:
    'Epoch milliseconds, not in the future. Only API keys may set it. Default: the current time.',
});

/** The times of a resource that an API key imports. */
export const importedTimes = {
  createdAt: importedTime,
  lastUpdated: pastMs.meta({
    description: 'Epoch milliseconds. Only API keys may set it. Default: `createdAt`.',
  }),
};

/**
 * Returns the time that a caller set, or `now` if the caller set none or has a user token.
 *
 * @param path names the field in the failure
 * @throws INVALID_ARGUMENT for a time in the future
 */
export function timeOf(
  { userId }: Pick<KeyContext, 'userId'>,
  time: number | undefined,
  { now, path }: { now: number; path: string },
): number {
  if (time === undefined || userId !== undefined) return now;
  if (time > now) throw invalidField(path, 'must not be in the future');
  return time;
}

/**
 * Returns both times of a resource, each as `timeOf` does. The default of `lastUpdated` is `createdAt`.
 *
 * @param path the input field with the resource
 * @throws INVALID_ARGUMENT for a time in the future, or if `lastUpdated` is before `createdAt`
 */
export function timesOf(
  ctx: Pick<KeyContext, 'userId'>,
  times: { createdAt?: number | undefined; lastUpdated?: number | undefined },
  { now, path }: { now: number; path: string },
): { createdAt: number; lastUpdated: number } {
  const createdAt = timeOf(ctx, times.createdAt, { now, path: `${path}.createdAt` });
  const changedAt = times.lastUpdated ?? createdAt;
  const lastUpdated = timeOf(ctx, changedAt, { now, path: `${path}.lastUpdated` });
  if (lastUpdated >= createdAt) return { createdAt, lastUpdated };
  throw invalidField(`${path}.lastUpdated`, 'must not be before createdAt');
}
