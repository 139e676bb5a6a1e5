import { hostname } from 'node:os';
import { VERSION } from '../version.ts';
import { Tracing } from './tracing.ts';

interface TracingSettings {
  otlpEndpoint: string | undefined;
  otelServiceName: string;
  /** The share of traces that are kept, from 0 to 1. */
  otelTraceRatio: number;
  roles: Iterable<string>;
}

/** Returns the tracing of this process. It loads OpenTelemetry only if traces are exported. */
export async function startTracing(settings: TracingSettings): Promise<Tracing> {
  const { otlpEndpoint: endpoint, otelServiceName, otelTraceRatio: ratio, roles } = settings;
  if (endpoint === undefined) return new Tracing();
  const { createOtlpTracer } = await import('./otlp-tracer.ts');
  const resource = {
    'service.name': otelServiceName,
    'service.version': VERSION,
    'host.name': hostname(),
    'process.pid': process.pid,
    roles: [...roles].join(','),
  };
  return new Tracing(createOtlpTracer({ endpoint, ratio, resource }));
}
