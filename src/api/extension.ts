import type { AnyRouter } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext, Services } from './context.ts';

type CreateContext<Context> = (request: FastifyRequest, reply: FastifyReply) => Context;

/** A part of the server in addition to the API, such as the console. */
export type Extension = (
  app: FastifyInstance,
  services: Services,
  deps: ExtensionDependencies,
) => Promise<void> | void;

export interface ExtensionDependencies {
  createContext: CreateContext<RequestContext>;
  serveRouter(served: ServedRouter): Promise<void>;
}

/** A router that typed clients call at paths below `prefix`. */
export interface ServedRouter {
  prefix: `/${string}`;
  router: AnyRouter;
  createContext: CreateContext<RequestContext | Promise<RequestContext>>;
}
