import type { TRPC_ERROR_CODE_KEY } from '@trpc/server';
import { z } from 'zod';
import { STATUSES, type Status } from '../../platform/errors.ts';

const statuses = Object.keys(STATUSES) as [Status, ...Status[]];

const details = z
  .looseObject({
    issues: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .meta({ description: 'The invalid fields.' }),
    reason: z.string().optional().meta({
      description: 'Why the call is refused, or which kind of resource is missing.',
    }),
    requestId: z
      .string()
      .optional()
      .meta({ description: 'The id of the request, if the server itself failed.' }),
  })
  .meta({ id: 'FailureDetails', description: 'The reason for the failure, for programs.' });
type FailureDetails = z.infer<typeof details>;

/** The envelope of every failure (specification 2.1). */
export const failure = z
  .object({
    error: z.object({
      status: z.enum(statuses).meta({ id: 'Status' }),
      message: z.string().meta({ description: 'A message for people.' }),
      details: details.optional(),
      code: z.number().int().meta({ description: 'The HTTP status of this response.' }),
    }),
  })
  .meta({ id: 'Failure', description: 'The envelope of every failure.' });

/** A failure as callers see it, on every transport. */
export type PublicFailure = z.infer<typeof failure>['error'];

/** The `data` of a failure over tRPC. */
export interface FailureData {
  code: TRPC_ERROR_CODE_KEY;
  path?: string | undefined;
  status: Status;
  httpStatus: number;
  details?: FailureDetails | undefined;
}
