import { CollaborationError } from '../../../client/error.ts';
import { call } from '../api/client.ts';

/** Files that the browser saves like downloads. */

interface Page {
  nextPageToken?: string | null | undefined;
}

async function readPages<Output extends Page>(
  read: (page: { pageToken?: string }) => Promise<Output>,
  take: (page: Output) => void,
): Promise<void> {
  let pageToken: string | null | undefined;
  do {
    const page = await read(pageToken ? { pageToken } : {});
    take(page);
    pageToken = page.nextPageToken;
  } while (pageToken);
}

/** The activity log of an organization, with a record a line. */
export async function exportActivities(apiKey: string, organizationId: string): Promise<void> {
  const lines: string[] = [];
  await readPages(
    (page) => call(apiKey, 'activities.export', { organizationId, pageSize: 1000, ...page }),
    ({ data }) => lines.push(...data.map((record) => `${JSON.stringify(record)}\n`)),
  );
  saveFile(`activities-${organizationId}.ndjson`, lines, 'application/x-ndjson');
}

interface PersonIn {
  organizationId: string;
  userId: string;
}

/** Everything that belongs to a person in an organization. */
export async function exportPerson(apiKey: string, person: PersonIn): Promise<void> {
  const found: Record<string, unknown[]> = {};
  await readPages(
    (page) => call(apiKey, 'userData.get', { ...person, ...page }),
    ({ data }) => {
      for (const [kind, items] of Object.entries(data)) {
        found[kind] = [...(found[kind] ?? []), ...items];
      }
    },
  );
  const name = `user-${person.userId}-${person.organizationId}.json`;
  saveFile(name, [JSON.stringify({ ...person, ...found }, null, 2)], 'application/json');
}

const POLL_MS = 1_000;

/** The archive of an organization, which the server writes first. */
export async function exportOrganization(apiKey: string, organizationId: string): Promise<void> {
  const { jobId } = await call(apiKey, 'organizations.export', { organizationId });
  for (;;) {
    const { archive, problem } = await call(apiKey, 'organizations.transferStatus', { jobId });
    if (problem) throw failedWith(problem);
    if (archive) return download(archive.url, `${organizationId}.tar`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

const failedWith = (message: string) =>
  new CollaborationError({ message, status: 'FAILED_PRECONDITION', httpStatus: 200 });

export function saveFile(name: string, parts: string[], type: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  download(url, name);
  URL.revokeObjectURL(url);
}

function download(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replaceAll(/[^\w.-]+/g, '-');
  link.click();
}
