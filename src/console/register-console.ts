import cookies from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext, Services } from '../api/context.ts';
import { requirePerson } from '../api/credentials/signed-in.ts';
import type { ExtensionDependencies } from '../api/extension.ts';
import { mergeRouters } from '../api/procedures.ts';
import { appRouter } from '../features/index.ts';
import type { PeriodicTask } from '../platform/loops/periodic-tasks.ts';
import { consoleRouter } from './operations/router.ts';
import { registerPage } from './page-files.ts';
import { addressRate } from './session/address-rate.ts';
import { deleteOldAuditEntries, recordAction } from './session/audit.ts';
import { authorize } from './session/authorize.ts';
import { deleteExpiredIds } from './session/one-time-ids.ts';
import { OpenId } from './session/open-id.ts';
import { refuseOtherSites } from './session/own-page.ts';
import { registerSession } from './session/register-session.ts';
import { SessionCookie } from './session/session.ts';

/** The tasks of the console that run periodically. */
export const consoleTasks: Array<PeriodicTask<Services>> = [
  { name: 'console-sessions', intervalMs: 60_000, run: deleteExpiredIds },
  { name: 'console-acts', intervalMs: 3_600_000, run: deleteOldAuditEntries },
];

/** The paths whose responses are only for the signed-in person, and must not be cached. */
const PRIVATE_PATHS = /^\/console\/(session|trpc|open-id)\b/;

/** All operations of the API, and the console's own. */
const consoleApi = mergeRouters(appRouter, consoleRouter);

/**
 * Serves the operators' web page at `/console`. The page calls `/console/trpc`, which has all operations of the API
 * and those that only the console has. The session cookie authenticates these calls.
 */
export async function registerConsole(
  app: FastifyInstance,
  services: Services,
  { createContext, serveRouter }: ExtensionDependencies,
): Promise<void> {
  await app.register(cookies);
  app.addHook('onSend', async ({ url }, reply, payload) => {
    if (PRIVATE_PATHS.test(url)) reply.header('cache-control', 'no-store');
    return payload;
  });
  const sessions = new SessionCookie(services);
  const rate = addressRate(services);
  const openId =
    services.config.consoleOpenId && new OpenId(services, services.config.consoleOpenId);
  registerSession(app, services, { sessions, openId, rate, createContext });
  registerPage(app, services);
  await serveRouter({
    prefix: '/console/trpc',
    router: consoleApi,
    createContext: (request, reply) =>
      signedInContext(createContext(request, reply), request, reply),
  });

  async function signedInContext(
    ctx: RequestContext,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<RequestContext> {
    refuseOtherSites(request, services.config.publicUrl);
    await rate.consume(ctx);
    const session = sessions.read(request);
    const chosenKey = ctx.header('x-console-api-key') || undefined;
    const signedIn = requirePerson({ signedIn: await authorize(services, session, chosenKey) });
    // Calls that a page repeats by itself, without a person at it, do not keep a session alive.
    if (session && ctx.header('x-console-active') === '1') sessions.keepAlive(reply, session);
    return {
      ...ctx,
      signedIn: { ...signedIn, record: (action) => recordAction(services, signedIn, action) },
    };
  }
}
