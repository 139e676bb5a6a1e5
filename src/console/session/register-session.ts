import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext, Services } from '../../api/context.ts';
import { AppError, invalidArgument } from '../../platform/errors.ts';
import { authorize } from './authorize.ts';
import { type OpenId, Refused } from './open-id.ts';
import { requireOwnPage } from './own-page.ts';
import type { Session, SessionCookie } from './session.ts';
import { Credentials, signIn } from './sign-in.ts';
import { useUp } from './used-ids.ts';

interface Parts {
  sessions: SessionCookie;
  openId: OpenId | undefined;
  createContext(request: FastifyRequest, reply: FastifyReply): RequestContext;
}

const NOTHING_CHOSEN = { workspaceId: undefined, apiKey: undefined };

/**
 * `/console/session`: GET says who is signed in, POST signs in, DELETE signs out. With a provider,
 * `/console/open-id` leads there, and `/console/open-id/callback` back.
 */
export function registerSession(
  app: FastifyInstance,
  services: Services,
  { sessions, openId, createContext }: Parts,
): void {
  // The public address is known when the server listens.
  const publicUrl = () => services.config.publicUrl;
  const describe = ({ name, role, proof }: Session) => ({
    signedIn: {
      name,
      role,
      workspaceId: proof.kind === 'workspace' ? proof.workspaceId : undefined,
      apiKey: proof.kind === 'apiKey' ? proof.apiKey : undefined,
    },
    hasOpenId: openId !== undefined,
  });

  app.get('/console/session', async (request) => {
    const session = sessions.read(request);
    if (!session || !(await isValid(services, session))) {
      return { signedIn: null, hasOpenId: openId !== undefined };
    }
    return describe(session);
  });

  app.post('/console/session', async (request, reply) => {
    requireOwnPage(request, publicUrl());
    const given = Credentials.safeParse(request.body);
    if (!given.success) throw invalidArgument('Show one kind of credentials.');
    const address = createContext(request, reply).address();
    return describe(sessions.begin(reply, await signIn(services, given.data, address)));
  });

  app.delete('/console/session', async (request, reply) => {
    requireOwnPage(request, publicUrl());
    const session = sessions.read(request);
    if (session) await useUp(services, session.id, sessions.lastEndOf(session));
    sessions.clear(reply);
    return reply.code(204).send();
  });

  if (!openId) return;
  const refuse = (error: unknown, reply: FastifyReply) => {
    services.log.warn({ err: error }, 'A sign-in by OpenID Connect was refused.');
    const reason = error instanceof Refused ? error.reason : 'provider';
    return reply.redirect(`/console/sign-in?refused=${reason}`);
  };
  app.get('/console/open-id', async (_request, reply) => {
    try {
      return await reply.redirect(await openId.begin(reply));
    } catch (error) {
      return refuse(error, reply);
    }
  });
  app.get('/console/open-id/callback', async (request, reply) => {
    try {
      sessions.begin(reply, await openId.finish(request, reply));
      return await reply.redirect('/console');
    } catch (error) {
      return refuse(error, reply);
    }
  });
}

async function isValid(services: Services, session: Session): Promise<boolean> {
  try {
    await authorize(services, session, NOTHING_CHOSEN);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.status === 'UNAUTHENTICATED') return false;
    throw error;
  }
}
