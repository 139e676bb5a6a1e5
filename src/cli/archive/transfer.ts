import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { OrganizationsTransferStatusOutput } from '../../api/contract.ts';
import type { CollaborationClient } from '../../client/server.ts';
import { Meter } from '../../platform/archives/blocks.ts';
import { StartError } from '../../platform/start-error.ts';

type Status = OrganizationsTransferStatusOutput;
type OnStatus = (status: Status) => void;

const POLL_MS = 1_000;

/** Has an archive written, and downloads it to a file, which is then compared with its checksum. */
export async function downloadArchive(
  client: CollaborationClient,
  organizationId: string | undefined,
  { file, onStatus }: { file: string; onStatus: OnStatus },
): Promise<Status> {
  const scope = organizationId === undefined ? {} : { organizationId };
  const { jobId } = await client.organizations.export(scope);
  const status = await waitForEnd(client, jobId, onStatus);
  if (!status.archive) throw new StartError('The server has no archive.');
  const { url, checksum } = status.archive;
  const unfinished = `${file}.unfinished`;
  const meter = new Meter();
  try {
    const { body, ok, status: code } = await fetch(url);
    if (!ok || !body) throw new StartError(`The download was answered with ${code}.`);
    const content = meter.through(Readable.from(body));
    await pipeline(content, createWriteStream(unfinished, { mode: 0o600 }));
    if (meter.digest() !== checksum) throw new StartError('The download is damaged. Try again.');
    await rename(unfinished, file);
  } finally {
    await rm(unfinished, { force: true });
  }
  return status;
}

/** Uploads an archive, unless it has arrived already, and waits until it is imported. */
export async function uploadArchive(
  client: CollaborationClient,
  organizationId: string | undefined,
  { file, onStatus }: { file: string; onStatus: OnStatus },
): Promise<Status> {
  const scope = organizationId === undefined ? {} : { organizationId };
  const archive = { size: (await stat(file)).size, checksum: await checksumOf(file) };
  const { upload } = await client.organizations.import({ ...scope, archive });
  if (upload) {
    const { url, method, headers } = upload;
    const length = { 'content-length': String(archive.size) };
    const body = Readable.toWeb(createReadStream(file)) as ReadableStream;
    const request = { method, headers: { ...headers, ...length }, body, duplex: 'half' };
    const sent = await fetch(url, request);
    if (!sent.ok) throw new StartError(`The upload was answered with ${sent.status}.`);
  }
  const { jobId } = await client.organizations.import({ ...scope, archive });
  return waitForEnd(client, jobId, onStatus);
}

async function checksumOf(file: string): Promise<string> {
  const meter = new Meter();
  for await (const chunk of createReadStream(file)) meter.add(chunk);
  return meter.digest();
}

async function waitForEnd(
  client: CollaborationClient,
  jobId: string,
  onStatus: OnStatus,
): Promise<Status> {
  for (;;) {
    const status = await client.organizations.transferStatus({ jobId });
    onStatus(status);
    if (status.state === 'done') return status;
    if (status.state === 'failed') throw new StartError(status.problem ?? 'The job failed.');
    await delay(POLL_MS);
  }
}
