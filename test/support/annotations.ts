import { dataOf, fresh, type Loose, pagesOf } from './answers.ts';
import { createTenant, type TestServer } from './server.ts';

export interface Place {
  organizationId: string;
  documentId: string;
}

export type Target = Place & { annotationId: string };

/** Calls that tests of comments share. */
export const annotationsOf = (server: TestServer, headers = server.keyHeaders) => {
  const call = (operation: string, data: object, own = headers) =>
    server.call(`/v2/commentannotations/${operation}`, data, own);
  /** A place that no other test uses. */
  const newPlace = (): Place => ({ organizationId: fresh('org'), documentId: fresh('doc') });
  const add = (place: Place, annotations: object[], more: object = {}, own = headers) =>
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
    );
  return {
    call,
    /** Calls, expects a success, and returns its `data`. */
    ok: async (operation: string, data: object, own = headers): Promise<Loose> =>
      dataOf(await call(operation, data, own)),
    place: newPlace,
    add,
    /** Adds an annotation to a place of its own. */
    async annotated(annotation: object = {}, own = headers): Promise<Target> {
      const [place, annotationId] = [newPlace(), fresh('annotation')];
      dataOf(await add(place, [{ annotationId, ...annotation }], {}, own));
      return { ...place, annotationId };
    },
    /** An annotation as it is now; null when there is none. */
    read: async ({ annotationId }: Target): Promise<Loose> =>
      dataOf(await call('get', { annotationIds: [annotationId] }))[0],
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

/** The headers of an editor of a document. */
export const editorHeaders = (
  server: TestServer,
  { organizationId, documentId: id }: Place,
  userId: string,
) => userHeaders(server, userId, [{ type: 'document', id, organizationId }]);

/** A separate key with private comments. */
export const keyWithPrivateComments = (server: TestServer): Promise<Record<string, string>> =>
  createTenant(server, { enablePrivateComments: true });
