/**
 * Sends the id of the event after which the subscription starts, before the first item. A client
 * whose connection breaks before any item then resumes at the start, and misses nothing. A
 * server-sent message without data only sets the last event id.
 */
export function withFirstPosition(response: Response, eventId: string): Response {
  const { body, status, headers } = response;
  const prefix = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(`id: ${eventId}\n\n`)),
  });
  return new Response(body?.pipeThrough(prefix) ?? null, { status, headers });
}
