import { dataOf, type Headers, type Loose } from './answers.ts';
import { sha256 } from './attachments.ts';
import { eventually } from './eventually.ts';
import type { TestServer } from './server.ts';

export interface Status {
  jobId: string;
  state: string;
  progress: { rows: number; files: number };
  archive?: { url: string; size: number; checksum: string };
  report?: Loose;
  problem?: string;
}

/** Calls of archives that tests share, with the credentials of one key. */
export function archivesOf(server: Pick<TestServer, 'call'>, headers?: Headers) {
  const call = (verb: string, data: object) =>
    server.call(`/v2/organizations/${verb}`, data, headers);
  const status = async (jobId: string): Promise<Status> =>
    dataOf(await call('transfer_status', { jobId }));
  /** Waits for the end of a job. */
  const end = (jobId: string): Promise<Status> =>
    eventually(async () => {
      const found = await status(jobId);
      if (!['done', 'failed'].includes(found.state)) throw new Error(`It is ${found.state}.`);
      return found;
    }, 60_000);
  const announce = async (content: Uint8Array, organizationId?: string) => {
    const archive = { size: content.length, checksum: sha256(content) };
    return call('import', { archive, ...(organizationId && { organizationId }) });
  };
  /** Uploads an archive, and starts its import. */
  const start = async (content: Uint8Array<ArrayBuffer>, organizationId?: string) => {
    const { upload } = dataOf(await announce(content, organizationId));
    const { url, method, headers: needed } = upload;
    const sent = await fetch(url, { method, headers: needed, body: content });
    if (!sent.ok) throw new Error(await sent.text());
    return dataOf(await announce(content, organizationId)).jobId as string;
  };
  return {
    ...{ call, status, end, announce, start },
    /** Exports, and returns the archive with the status of its job. */
    async export(organizationId?: string): Promise<Status & { content: Uint8Array<ArrayBuffer> }> {
      const started = dataOf(await call('export', { ...(organizationId && { organizationId }) }));
      const ended = await end(started.jobId);
      if (!ended.archive) throw new Error(ended.problem);
      const response = await fetch(ended.archive.url);
      return { ...ended, content: new Uint8Array(await response.arrayBuffer()) };
    },
    /** Uploads an archive and imports it. */
    import: async (content: Uint8Array<ArrayBuffer>, organizationId?: string): Promise<Status> =>
      end(await start(content, organizationId)),
  };
}
