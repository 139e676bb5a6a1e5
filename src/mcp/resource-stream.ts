import {
  type AuthInfo,
  createMcpHandler,
  InMemoryServerEventBus,
  type McpServerFactory,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import { isTrackedEnvelope } from '@trpc/server';
import { z } from 'zod';
import { toAppError } from '../api/responses/failures.ts';
import { invalidArgument } from '../platform/errors.ts';
import type { FollowedItem } from './operations/follow-document.ts';
import { agentApi } from './operations/router.ts';
import { type McpResource, parseUri } from './resource-uris.ts';
import type { AgentCall } from './tool.ts';

const MAX_URIS = 50;

/** The message that opens a stream, with the URIs of the resources to follow. */
export const ListenMessage = z.looseObject({
  method: z.literal('subscriptions/listen'),
  params: z.looseObject({
    notifications: z.looseObject({ resourceSubscriptions: z.array(z.string()).default([]) }),
  }),
});

export type ListenMessage = z.infer<typeof ListenMessage>;

/**
 * The requests of open streams. They are kept here, since the signal that ends a stream would not fire after
 * the garbage collection of its request.
 */
const openRequests = new Set<Request>();

interface AgentRequest {
  call: AgentCall;
  factory: McpServerFactory;
  authInfo: AuthInfo;
}

/**
 * Opens a stream of changes to resources. The library does not check access, so a subscription of the API
 * follows each document. When the user loses access or the token expires, the subscription ends, and the
 * stream ends with it. Resources that the user may not read are left out of the acknowledgement.
 */
export async function openResourceStream(
  { call, factory, authInfo }: AgentRequest,
  message: ListenMessage,
  request: Request,
): Promise<Response> {
  const uris = [...new Set(message.params.notifications.resourceSubscriptions)];
  if (uris.length > MAX_URIS) throw tooManyUris();
  const ending = new AbortController();
  const streamRequest = new Request(request, { signal: ending.signal });
  openRequests.add(streamRequest);
  ending.signal.addEventListener('abort', () => openRequests.delete(streamRequest));
  call.ctx.signal?.addEventListener('abort', () => ending.abort());
  // The client may have left while its token was being checked.
  if (call.ctx.signal?.aborted) ending.abort();
  try {
    const followed = await followAll(call, resourcesOf(uris), ending.signal);
    const resources = followed.flatMap((document) => document.resources);
    const parsedBody = withResources(
      message,
      resources.map(({ uri }) => uri),
    );
    // Each stream has a bus of its own, so that it receives nothing about resources that only others follow.
    const bus = new InMemoryServerEventBus();
    const handler = createMcpHandler(factory, { bus });
    const response = await handler.fetch(streamRequest, { parsedBody, authInfo });
    // If the library has not added a listener, it has opened no stream, and the response is a failure.
    if (bus.listenerCount === 0) ending.abort();
    for (const document of followed) {
      void publishChanges(call, document, bus).finally(() => ending.abort());
    }
    return response;
  } catch (error) {
    // End the subscriptions that were opened before the failure.
    ending.abort();
    throw error;
  }
}

const withResources = ({ params, ...message }: ListenMessage, resourceSubscriptions: string[]) => ({
  ...message,
  params: { ...params, notifications: { ...params.notifications, resourceSubscriptions } },
});

interface FollowedResource extends McpResource {
  uri: string;
}

interface FollowedDocument {
  resources: FollowedResource[];
  /** Tracked items, in the envelope in which tRPC yields them to callers in the same process. */
  items: AsyncIterable<unknown>;
}

const resourcesOf = (uris: string[]): FollowedResource[] =>
  uris.flatMap((uri) => {
    const resource = parseUri(uri);
    return resource ? [{ ...resource, uri }] : [];
  });

/**
 * Opens one subscription for each document that is followed itself, or through its threads, or both.
 * Documents that the user may not read are left out.
 */
async function followAll(
  call: AgentCall,
  resources: FollowedResource[],
  signal: AbortSignal,
): Promise<FollowedDocument[]> {
  const { agents } = agentApi.createCaller(call.ctx, { signal });
  const documents = Map.groupBy(resources, ({ organizationId, documentId }) =>
    JSON.stringify([organizationId, documentId]),
  );
  const followed: FollowedDocument[] = [];
  for (const ofDocument of documents.values()) {
    const [first] = ofDocument;
    if (!first) continue;
    const { organizationId, documentId } = first;
    const items = await agents.followDocument({ organizationId, documentId }).catch(ignoreDenied);
    if (items) followed.push({ resources: ofDocument, items });
  }
  return followed;
}

/** Returns undefined if access was denied. @throws AppError for any other failure */
function ignoreDenied(error: unknown): undefined {
  const failure = toAppError(error);
  if (failure.status !== 'PERMISSION_DENIED' || failure.credentialsReason) throw failure;
}

/** Publishes the changes of a document until its subscription ends. */
async function publishChanges(
  { ctx }: AgentCall,
  { resources, items }: FollowedDocument,
  bus: ServerEventBus,
): Promise<void> {
  try {
    for await (const envelope of items) {
      if (!isTrackedEnvelope<FollowedItem>(envelope)) continue;
      const [, { annotationId }] = envelope;
      const changed = resources.filter((resource) => resource.annotationId === annotationId);
      for (const { uri } of changed) bus.publish({ kind: 'resource_updated', uri });
    }
  } catch (error) {
    // The end of the subscription has already been logged.
    ctx.log.debug({ err: toAppError(error) }, "An agent's stream has ended.");
  }
}

const tooManyUris = () =>
  invalidArgument(`resourceSubscriptions: must have at most ${MAX_URIS} entries.`);
