import type { inferRouterOutputs } from '@trpc/server';
import type { ConsoleRouter } from '../../../operations/router.ts';

type Overview = inferRouterOutputs<ConsoleRouter>['console']['overview']['read'];

export type Attention = Overview['attention'][number];
export type ServerOverview = NonNullable<Overview['server']>;
export type SeenProcess = ServerOverview['processes'][number];
