/**
 * Tells the client's EventSource, before the first item, after which event the subscription began.
 * A connection that breaks before anything happened is then taken up where it began, and what
 * happened meanwhile is not missed. In server-sent events a message without data is one that sets
 * the last event id and nothing else.
 */
export function withFirstPosition(response: Response, eventId: string): Response {
  const { body, status, headers } = response;
  const prefix = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(`id: ${eventId}\n\n`)),
  });
  return new Response(body?.pipeThrough(prefix) ?? null, { status, headers });
}
