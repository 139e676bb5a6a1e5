import { AsyncLocalStorage } from 'node:async_hooks';

export type Attributes = Record<string, string | number | boolean>;

/** The facts that are known about a span when it begins. */
export interface SpanStart {
  /** One of a limited number of names: an operation, a kind of work, or a statement without its values. */
  name: string;
  /** `server` serves a caller, `client` calls another service. */
  kind?: 'server' | 'client' | 'internal';
  attributes?: Attributes;
  /** The `traceparent` header of the caller, which is the parent. Default: the span around this one, if any. */
  traceparent?: string | undefined;
  /** Epoch milliseconds. Default: the current time. */
  startedAt?: number;
}

/** A span in progress. */
export interface Span {
  readonly traceId: string;
  /** The header `traceparent` (W3C), for requests to other services. */
  readonly traceparent: string;
  end(error?: unknown): void;
}

/** Begins spans, and sends finished spans to a collector. */
export interface Tracer {
  begin(start: SpanStart, parent: Span | undefined): Span;
  /** Sends the remaining spans. */
  stop(): Promise<void>;
}

/** The span in which code runs, and the tracer that began it. */
interface ActiveSpan {
  tracer: Tracer;
  span: Span;
}

const activeSpan = new AsyncLocalStorage<ActiveSpan>();

/** Runs work in a new span, which ends with the work. */
async function runInSpan<Result>(
  tracer: Tracer,
  start: SpanStart,
  work: () => Promise<Result>,
): Promise<Result> {
  const span = tracer.begin(start, activeSpan.getStore()?.span);
  try {
    const result = await activeSpan.run({ tracer, span }, work);
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/** Begins traces where work enters this process. Does nothing while tracing is off. */
export class Tracing {
  readonly #tracer: Tracer | undefined;

  constructor(tracer?: Tracer) {
    this.#tracer = tracer;
  }

  /** Runs work in a span, which is the first of a trace unless another one is around it. */
  trace<Result>(start: SpanStart, work: () => Promise<Result>): Promise<Result> {
    return this.#tracer ? runInSpan(this.#tracer, start, work) : work();
  }

  /** Adds a span for work that has ended, such as a stream that was read elsewhere. */
  addSpan(start: SpanStart, durationMs: number, error?: unknown): void {
    const startedAt = Date.now() - durationMs;
    this.#tracer?.begin({ ...start, startedAt }, activeSpan.getStore()?.span).end(error);
  }

  async stop(): Promise<void> {
    await this.#tracer?.stop();
  }
}

/** Runs work in a span if there is a trace around it. */
export function traced<Result>(
  start: () => SpanStart,
  work: () => Promise<Result>,
): Promise<Result> {
  const current = activeSpan.getStore();
  return current ? runInSpan(current.tracer, start(), work) : work();
}

/** Runs work outside of any trace, because several traces share it. */
export const outsideOfTraces = (work: () => void): void => activeSpan.exit(work);

/** The header with which a request to another service continues the trace; empty outside of traces. */
export function traceHeaders(): { traceparent?: string } {
  const span = activeSpan.getStore()?.span;
  return span ? { traceparent: span.traceparent } : {};
}

/** The id of the current trace, for log lines; undefined outside of traces. */
export const activeTraceId = (): string | undefined => activeSpan.getStore()?.span.traceId;
