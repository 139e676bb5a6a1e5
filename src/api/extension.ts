import type { AnyRouter } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext } from './context.ts';

/** A part of the server in addition to the API, such as the console. */
export type Extension = (app: FastifyInstance, deps: ExtensionDependencies) => Promise<void>;

export interface ExtensionDependencies {
  createContext: CreateContext<RequestContext>;
  serveRouter(served: ServedRouter): Promise<void>;
}

/** The path and the options of a router that typed clients call. */
export interface ServedRouter {
  prefix: `/${string}`;
  router: AnyRouter;
  createContext: CreateContext<RequestContext | Promise<RequestContext>>;
}

type CreateContext<Made> = (request: FastifyRequest, reply: FastifyReply) => Made;
