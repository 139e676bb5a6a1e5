import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext, Services } from '../../api/context.ts';
import { invalidArgument } from '../../platform/errors.ts';
import type { AddressRate } from './address-rate.ts';
import { recordAction } from './audit.ts';
import { authorize } from './authorize.ts';
import { markUsed } from './one-time-ids.ts';
import { type OpenId, SignInRefusal } from './open-id.ts';
import { refuseOtherSites } from './own-page.ts';
import type { Person, Session, SessionCookie } from './session.ts';
import { Credentials, signIn } from './sign-in.ts';
import { isConsolePath } from './sign-in-page.ts';

interface Dependencies {
  sessions: SessionCookie;
  openId: OpenId | undefined;
  rate: AddressRate;
  createContext(request: FastifyRequest, reply: FastifyReply): RequestContext;
}

/**
 * Serves `/console/session`: GET returns who is signed in, POST signs in, DELETE signs out. If there is an OpenID
 * Connect provider, `/console/open-id` leads to it, and `/console/open-id/callback` leads back.
 */
export function registerSession(
  app: FastifyInstance,
  services: Services,
  { sessions, openId, rate, createContext }: Dependencies,
): void {
  // The public address is not known before the server listens.
  const publicUrl = () => services.config.publicUrl;
  const describe = async (session: Session | undefined) => {
    const person = await authorize(services, session);
    const signedIn = person ? { name: person.name, role: person.role, ...person.bounds } : null;
    return { signedIn, hasOpenId: openId !== undefined };
  };

  /** Begins a session. The browser gets the cookie only once the sign-in is recorded. */
  const begin = async (reply: FastifyReply, person: Person, requestId: string) => {
    const session = sessions.create(person);
    const signedIn = await authorize(services, session);
    if (signedIn) {
      const action = { operation: 'sign in', requestId, input: {} };
      const recordStatus = await recordAction(services, signedIn, action);
      await recordStatus(200);
    }
    sessions.write(reply, session);
    return session;
  };

  app.get('/console/session', async (request, reply) => {
    await rate.consume(createContext(request, reply));
    return describe(sessions.read(request));
  });

  app.post('/console/session', async (request, reply) => {
    refuseOtherSites(request, publicUrl());
    const ctx = createContext(request, reply);
    await rate.consumeSession(ctx);
    const credentials = Credentials.safeParse(request.body);
    if (!credentials.success) throw invalidArgument('Send exactly one kind of credentials.');
    const person = await signIn(ctx, credentials.data);
    return describe(await begin(reply, person, ctx.requestId));
  });

  app.delete('/console/session', async (request, reply) => {
    refuseOtherSites(request, publicUrl());
    await rate.consumeSession(createContext(request, reply));
    const session = sessions.read(request);
    if (session) await markUsed(services, session.id, sessions.lastEndOf(session));
    sessions.clear(reply);
    return reply.code(204).send();
  });

  if (!openId) return;
  /** Redirects to the address that a function returns. If it throws, redirects to the sign-in page, with the reason. */
  const redirect = async (reply: FastifyReply, address: () => Promise<string>) => {
    try {
      return await reply.redirect(await address());
    } catch (error) {
      services.log.warn({ err: error }, 'A sign-in by OpenID Connect failed.');
      const reason = error instanceof SignInRefusal ? error.reason : 'provider';
      return reply.redirect(`/console/sign-in?refused=${reason}`);
    }
  };
  app.get<{ Querystring: { next?: unknown } }>('/console/open-id', async (request, reply) => {
    await rate.consume(createContext(request, reply));
    const { next } = request.query;
    return redirect(reply, () => openId.begin(reply, isConsolePath(next) ? next : ''));
  });
  app.get('/console/open-id/callback', async (request, reply) => {
    await rate.consumeSession(createContext(request, reply));
    return redirect(reply, async () => {
      const { person, next } = await openId.finish(request, reply);
      await begin(reply, person, request.id);
      return `/console${next}`;
    });
  });
}
