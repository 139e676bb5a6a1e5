import type { Connection } from '@hocuspocus/server';
import type { OpenDocument } from '../documents/open-document.ts';
import type { LiveContext, Session } from '../live-context.ts';

/** The connection of a user to an open document. */
export interface OpenSession {
  connection: Connection<LiveContext>;
  session: Session;
}

export function sessionsOf({ document }: OpenDocument): OpenSession[] {
  return document.getConnections().flatMap((connection: Connection<LiveContext>) => {
    const { session } = connection.context;
    return session ? [{ connection, session }] : [];
  });
}
