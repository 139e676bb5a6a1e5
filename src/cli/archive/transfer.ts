import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { OrganizationsTransferStatusOutput } from '../../api/contract.ts';
import type { CollaborationClient } from '../../client/server.ts';
import { checksumOf, Meter } from '../../platform/archives/blocks.ts';
import { StartError } from '../../platform/start-error.ts';
import { writeAtomically } from '../write-atomically.ts';

type Status = OrganizationsTransferStatusOutput;

interface Transfer {
  file: string;
  onStatus: (status: Status) => void;
}

const POLL_MS = 1_000;

/** Lets the server write an archive, downloads it to a file, and verifies its checksum. */
export async function downloadArchive(
  client: CollaborationClient,
  organizationId: string | undefined,
  { file, onStatus }: Transfer,
): Promise<Status['report']> {
  const { jobId } = await client.organizations.export({ organizationId });
  const { archive, report } = await waitUntilDone(client, jobId, onStatus);
  if (!archive) throw new StartError('The server wrote no archive.');
  const { url, checksum } = archive;
  const meter = new Meter();
  await writeAtomically(file, async (unfinished) => {
    const { body, ok, status: code } = await fetch(url);
    if (!ok || !body) throw new StartError(`The download failed with status ${code}.`);
    const content = meter.through(Readable.from(body));
    await pipeline(content, createWriteStream(unfinished, { mode: 0o600 }));
    if (meter.digest() !== checksum) throw new StartError('The download is damaged. Try again.');
  });
  return report;
}

/** Uploads an archive, unless the server already has it, and waits until it is imported. */
export async function uploadArchive(
  client: CollaborationClient,
  organizationId: string | undefined,
  { file, onStatus }: Transfer,
): Promise<Status['report']> {
  const archive = {
    size: (await stat(file)).size,
    checksum: await checksumOf(createReadStream(file)),
  };
  const { upload } = await client.organizations.import({ organizationId, archive });
  if (upload) {
    const { url, method, headers } = upload;
    const contentLength = { 'content-length': String(archive.size) };
    const body = Readable.toWeb(createReadStream(file)) as ReadableStream;
    const request = { method, headers: { ...headers, ...contentLength }, body, duplex: 'half' };
    const sent = await fetch(url, request);
    if (!sent.ok) throw new StartError(`The upload failed with status ${sent.status}.`);
  }
  // The import begins with the call after the upload.
  const { jobId } = await client.organizations.import({ organizationId, archive });
  return (await waitUntilDone(client, jobId, onStatus)).report;
}

async function waitUntilDone(
  client: CollaborationClient,
  jobId: string,
  onStatus: Transfer['onStatus'],
): Promise<Status> {
  for (;;) {
    const status = await client.organizations.transferStatus({ jobId });
    onStatus(status);
    if (status.state === 'done') return status;
    if (status.state === 'failed') throw new StartError(status.problem ?? 'The job failed.');
    await delay(POLL_MS);
  }
}
