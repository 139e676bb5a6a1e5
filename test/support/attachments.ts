import { createHash } from 'node:crypto';
import { dataOf, fresh, type Headers } from './answers.ts';
import type { Answer, TestServer } from './server.ts';

export const TEXT = { name: 'notes.txt', type: 'text/plain', size: 5 };
export const HELLO = Buffer.from('hello');
export const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

export interface Upload {
  attachmentId: string;
  url: string;
  method: string;
  headers: Headers;
  expiresAt: number;
}

/** Sends a file to its link, as a browser does. */
export const sendFile = (
  { url, method, headers }: Upload,
  body: Uint8Array<ArrayBuffer> = HELLO,
  more: Headers = {},
) => fetch(url, { method, headers: { ...headers, ...more }, body });

/** Calls of attachments that tests share. */
export function attachmentsOf(server: Pick<TestServer, 'call'>) {
  const call =
    (verb: string) =>
    (data: object, headers?: Headers): Promise<Answer> =>
      server.call(`/v2/attachments/${verb}`, data, headers);
  const [create, complete] = [call('create_upload'), call('complete')];
  /** A document in an organization of its own. */
  async function newPlace(accessType = 'public') {
    const place = { organizationId: fresh('org'), documentId: 'plan' };
    const documents = ['plan', 'other'].map((documentId) => ({ documentId, accessType }));
    const { organizationId } = place;
    const directory = { organizationId, createOrganization: true, documents };
    dataOf(await server.call('/v2/organizations/documents/add', directory));
    return place;
  }
  /** A link for the text `hello`. */
  const announce = async (place: object, more: object = {}): Promise<Upload> =>
    dataOf(await create({ ...place, ...TEXT, ...more }));
  return {
    ...{ create, complete, get: call('get'), delete: call('delete'), newPlace, announce },
    /** A link in a place of its own, with the fields that name the attachment. */
    async announceSomewhere(more: object = {}) {
      const place = await newPlace();
      const link = await announce(place, more);
      return { place, link, attachment: { ...place, attachmentId: link.attachmentId } };
    },
    /** An uploaded file, with the fields that name it. */
    async upload(place: object, content = HELLO, more: object = {}, headers?: Headers) {
      const announced = { ...place, ...TEXT, size: content.length, ...more };
      const link: Upload = dataOf(await create(announced, headers));
      const sent = await sendFile(link, content);
      if (!sent.ok) throw new Error(await sent.text());
      const attachment = { ...place, attachmentId: link.attachmentId };
      dataOf(await complete(attachment, headers));
      return attachment;
    },
  };
}

/** The head of an upload, as raw HTTP. */
export const headOf = ({ url, headers }: Upload, more: Record<string, string>) => {
  const lines = Object.entries({ host: 'test', ...headers, ...more });
  const { pathname } = new URL(url);
  return `PUT ${pathname} HTTP/1.1\r\n${lines.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n`;
};
