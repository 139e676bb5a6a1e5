import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../../api/context.ts';
import type { ConsoleRole } from '../../api/credentials/signed-in.ts';
import { newId } from '../../platform/ids.ts';

/** How long a session lasts without activity of its person. */
const IDLE_MS = 60 * 60_000;
/** How long a session lasts at most. */
const LIFETIME_MS = 12 * 60 * 60_000;
/** The minimum interval between renewals of the cookie. */
const RENEWED_AFTER_MS = 60_000;
const SEAL_CONTEXT = 'console session';

/** The credentials with which a person signed in. Each request checks that they are still valid. */
export type Proof =
  | { kind: 'adminToken'; mac: string }
  | { kind: 'workspace'; workspaceId: string; tokenHash: string }
  | { kind: 'apiKey'; apiKey: string; tokenHash: string }
  | { kind: 'openId'; issuer: string; email: string };

export interface Person {
  role: ConsoleRole;
  proof: Proof;
}

/** The session of a signed-in person. It is stored only in the cookie, which only this server can decrypt. */
export interface Session extends Person {
  id: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  activeAt: number;
}

/** Reads and writes the session cookie, which neither scripts of a page nor other sites can read. */
export class SessionCookie {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Creates a session under a new id, whatever cookie the browser had. */
  create(person: Person): Session {
    const now = this.#services.clock.now();
    return { ...person, id: newId(), createdAt: now, activeAt: now };
  }

  /** Returns the session of a request; undefined if there is none, or if it has ended. */
  read({ cookies }: FastifyRequest): Session | undefined {
    const sealed = cookies[this.#cookie.name];
    const session = sealed && this.#services.secrets.openJson<Session>(sealed, SEAL_CONTEXT);
    if (!session) return undefined;
    const end = Math.min(this.lastEndOf(session), session.activeAt + IDLE_MS);
    return end > this.#services.clock.now() ? session : undefined;
  }

  /** The latest time at which the session ends, even if a copy of its cookie is kept alive. */
  lastEndOf({ createdAt }: Session): number {
    return createdAt + LIFETIME_MS;
  }

  /** Records in the cookie that the person did something, at most once a minute. */
  keepAlive(reply: FastifyReply, session: Session): void {
    const now = this.#services.clock.now();
    if (now - session.activeAt > RENEWED_AFTER_MS) this.write(reply, { ...session, activeAt: now });
  }

  clear(reply: FastifyReply): void {
    reply.clearCookie(this.#cookie.name, this.#cookie.attributes);
  }

  /** Sends the session to the browser. */
  write(reply: FastifyReply, session: Session): void {
    const sealed = this.#services.secrets.seal(JSON.stringify(session), SEAL_CONTEXT);
    const maxAge = Math.ceil((this.lastEndOf(session) - this.#services.clock.now()) / 1000);
    const { name, attributes } = this.#cookie;
    reply.setCookie(name, sealed, { ...attributes, maxAge });
  }

  get #cookie() {
    return cookieFor(this.#services.config.publicUrl, 'console', 'strict');
  }
}

/** A cookie of the console that no script can read: its name, and its attributes. */
export function cookieFor(publicUrl: string, name: string, sameSite: 'strict' | 'lax') {
  const secure = publicUrl.startsWith('https:');
  return {
    // Browsers accept a cookie with this prefix only over TLS, and send it only to this host.
    name: secure ? `__Host-${name}` : name,
    attributes: { path: '/', httpOnly: true, sameSite, secure },
  };
}
