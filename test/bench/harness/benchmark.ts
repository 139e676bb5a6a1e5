import type { Client } from 'pg';
import type { Postgres } from './databases.ts';

/** A line of the report. */
export interface Finding {
  label: string;
  value: string;
  target?: string;
  met?: boolean;
}

/** A call of one of the REST operations. */
export interface Call {
  path: string;
  data: object;
}

/** One operation, on our server and on the baseline. */
export interface Comparison {
  name: string;
  /** The minimum ratio of our requests a second to the baseline's. */
  target: number;
  /** The maximum ratio of the median times of one caller. */
  oneCallerTarget: number;
  /** Fills the database of which each server gets a copy. */
  prepare(database: Client): Promise<void>;
  /** The nth call, the same for both servers. The load process calls this. */
  request(n: number): Call;
}

/** Any other measurement. */
export interface Measurement {
  name: string;
  measure(postgres: Postgres): Promise<Finding[]>;
}

/** @param share 0.99 for the 99th percentile. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
}

export const median = (values: number[]): number => percentile(values, 0.5);
