import { dataOf, fresh, type Loose, pagesOf } from './answers.ts';
import { createTenant, type TestServer } from './server.ts';

export interface Place {
  organizationId: string;
  documentId: string;
}

/** Calls that tests of comments share. */
export const annotationsOf = (server: TestServer, headers = server.keyHeaders) => {
  const call = (operation: string, data: object, own = headers) =>
    server.call(`/v2/commentannotations/${operation}`, data, own);
  return {
    call,
    /** A place that no other test uses. */
    place: (): Place => ({ organizationId: fresh('org'), documentId: fresh('doc') }),
    add: (place: Place, annotations: object[], more: object = {}, own = headers) =>
      call(
        'add',
        {
          ...place,
          createOrganization: true,
          createDocument: true,
          commentAnnotations: annotations.map((annotation) => ({
            commentData: [{ commentText: 'Hello', from: { userId: 'ada' } }],
            ...annotation,
          })),
          ...more,
        },
        own,
      ),
    async get(filters: object, own = headers): Promise<Loose[]> {
      return dataOf(await call('get', filters, own));
    },
    async ids(filters: object, own = headers): Promise<string[]> {
      const found: Loose[] = dataOf(await call('get', filters, own));
      return found.map((annotation) => annotation?.annotationId ?? null);
    },
    /** All ids, page by page. */
    async pages(filters: object, pageSize: number, own = headers): Promise<string[][]> {
      const pages: string[][] = [];
      const read = async (pageToken?: string) =>
        (await call('get', { ...filters, pageSize, pageToken }, own)).body.result;
      for await (const { data } of pagesOf(read)) {
        pages.push(data.map(({ annotationId }: Loose) => annotationId));
      }
      return pages;
    },
  };
};

/** The headers of a user with these roles. */
export async function userHeaders(
  server: TestServer,
  userId: string,
  resources: object[],
  headers = server.keyHeaders,
): Promise<Record<string, string>> {
  const answer = await server.call(
    '/v2/auth/generate_token',
    { userId, permissions: { resources } },
    headers,
  );
  return { authorization: `Bearer ${dataOf(answer).token}` };
}

/** A separate key with private comments. */
export const privateKey = (server: TestServer): Promise<Record<string, string>> =>
  createTenant(server, { enablePrivateComments: true });
