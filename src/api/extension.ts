import type { AnyRouter } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext } from './context.ts';

/** What is served beside the API, such as the console. */
export type Extension = (app: FastifyInstance, means: ExtensionMeans) => Promise<void>;

export interface ExtensionMeans {
  createContext: CreateContext<RequestContext>;
  serveRouter(served: ServedRouter): Promise<void>;
}

/** Where and how a router is served to typed clients. */
export interface ServedRouter {
  prefix: `/${string}`;
  router: AnyRouter;
  createContext: CreateContext<RequestContext | Promise<RequestContext>>;
}

type CreateContext<Made> = (request: FastifyRequest, reply: FastifyReply) => Made;
