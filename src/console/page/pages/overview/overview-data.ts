import type { OutputOf } from '../../api/client.ts';

type Overview = OutputOf<'console.overview.read'>;

export type Attention = Overview['attention'][number];
export type ServerOverview = NonNullable<Overview['server']>;
