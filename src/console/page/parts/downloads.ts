import { pagesOf } from '../../../client/pages.ts';
import { refusal } from '../api/failure.ts';
import type { KeyCall } from '../api/read.ts';

// Data that the browser saves as downloaded files.

/** Saves the activity log of an organization, one record per line. */
export async function exportActivities(call: KeyCall, organizationId: string): Promise<void> {
  const lines: string[] = [];
  const input = { organizationId, pageSize: 1000 };
  const pages = pagesOf((pageToken) => call('activities.export', { ...input, pageToken }));
  for await (const { data } of pages) {
    lines.push(...data.map((record) => `${JSON.stringify(record)}\n`));
  }
  saveFile(`activities-${organizationId}.ndjson`, lines, 'application/x-ndjson');
}

/** Saves all data of a user in an organization. */
export async function exportUserData(
  call: KeyCall,
  user: { organizationId: string; userId: string },
): Promise<void> {
  const found: Record<string, unknown[]> = {};
  const pages = pagesOf((pageToken) => call('userData.get', { ...user, pageToken }));
  for await (const { data } of pages) {
    for (const [kind, items] of Object.entries(data)) {
      found[kind] = [...(found[kind] ?? []), ...items];
    }
  }
  const name = `user-${user.userId}-${user.organizationId}.json`;
  saveFile(name, [JSON.stringify({ ...user, ...found }, null, 2)], 'application/json');
}

const POLL_MS = 1_000;

/** Saves the archive of an organization, once the server has written it. */
export async function exportOrganization(call: KeyCall, organizationId: string): Promise<void> {
  const { jobId } = await call('organizations.export', { organizationId });
  for (;;) {
    const { archive, problem } = await call('organizations.transferStatus', { jobId });
    if (problem) throw refusal(problem);
    if (archive) return download(archive.url, `${organizationId}.tar`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

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
