import { pino } from 'pino';
import { createMetrics } from '../../src/platform/metrics/metrics.ts';

/** The objects that background loops need, for parts that are tested without a server. */
export const loopDependencies = { log: pino({ level: 'silent' }), metrics: createMetrics() };
