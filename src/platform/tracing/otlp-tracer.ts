import {
  type Context,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import { waitFor } from '../wait-for.ts';
import type { Attributes, Span, SpanStart, Tracer } from './tracing.ts';

const SEND_EVERY_MS = 1_000;
/** How long a stopping process waits for its last spans to be sent. If it takes longer, they are lost. */
const STOP_MS = 2_000;

const SPAN_KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
};

/** Matches the header that continues a trace: https://www.w3.org/TR/trace-context/. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

interface OtlpOptions {
  /** The collector, without `/v1/traces`. */
  endpoint: string;
  /** The share of traces that are kept, from 0 to 1. For a caller's trace, its header decides. */
  ratio: number;
  /** The identity of this process. */
  resource: Attributes;
}

/** Sends spans to a collector over OTLP/HTTP. */
export function createOtlpTracer({ endpoint, ratio, resource }: OtlpOptions): Tracer {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes(resource),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: SEND_EVERY_MS })],
  });
  const tracer = provider.getTracer('collaboration-backend');
  return {
    begin({ name, kind = 'internal', attributes = {}, traceparent, startedAt }, parent) {
      const options = {
        kind: SPAN_KINDS[kind],
        attributes,
        ...(startedAt && { startTime: startedAt }),
      };
      const context = contextOf(traceparent ?? parent?.traceparent);
      return wrapSpan(tracer.startSpan(name, options, context));
    },
    async stop() {
      const sent = provider.shutdown().catch(() => undefined);
      await waitFor(sent, STOP_MS);
    },
  };
}

/** Returns the context that a header names. A malformed header is ignored, as the standard says. */
function contextOf(traceparent: SpanStart['traceparent']): Context {
  const [, traceId, spanId, flags = ''] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (!traceId || !spanId) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

interface Failure {
  name?: string;
  status?: string;
  cause?: Failure;
}

function wrapSpan(span: OtelSpan): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceId,
    get traceparent() {
      return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
    },
    end(error) {
      // Messages may repeat users' texts, so only the kind of the failure leaves the process.
      if (error !== undefined) {
        const { name, status, cause } = error as Failure;
        const message = String(status ?? cause?.status ?? name ?? error);
        span.setStatus({ code: SpanStatusCode.ERROR, message });
      }
      span.end();
    },
  };
}
