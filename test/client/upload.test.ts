import { beforeEach, expect, it, vi } from 'vitest';
import { uploadFile } from '../../src/client/core/upload.ts';
import { createClient } from '../../src/client/index.ts';
import { editorHeaders } from '../support/annotations.ts';
import { attachmentsOf } from '../support/attachments.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const server = await startTestServer({ FILES_DIR: await temporaryFolder('test-files-') });

/** The part of a browser's class that uploads use. */
class XMLHttpRequest {
  readonly upload = {};
  onload = () => {};
  onerror = () => {};
  status = 0;
  #url = '';
  readonly #request = { method: '', headers: {} as Record<string, string> };

  open(method: string, url: string): void {
    this.#url = url;
    this.#request.method = method;
  }

  setRequestHeader(name: string, value: string): void {
    this.#request.headers[name] = value;
  }

  send(body: File): void {
    fetch(this.#url, { ...this.#request, body }).then(({ status }) => {
      this.status = status;
      this.onload();
    }, this.onerror);
  }
}

beforeEach(() => void vi.stubGlobal('XMLHttpRequest', XMLHttpRequest));

it('uploads with a signal that has only what React Native gives it', async () => {
  const place = await attachmentsOf(server).newPlace();
  const { authorization = '' } = await editorHeaders(server, place, 'ada');
  const client = createClient({ url: server.url, token: authorization.replace('Bearer ', '') });
  const { signal } = new AbortController();
  Object.defineProperty(signal, 'throwIfAborted', { value: undefined });
  const file = new File(['hello'], 'notes.txt', { type: 'text/plain' });
  const attachment = await uploadFile(client, place, file, { signal });
  expect(attachment).toMatchObject({ name: 'notes.txt', size: 5 });
  client.close();
});
