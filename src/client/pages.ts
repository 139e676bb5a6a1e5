/** Reads and yields one page after the other, until the last. */
export async function* pagesOf<Page extends { nextPageToken?: string | null }>(
  read: (pageToken?: string) => Promise<Page>,
): AsyncGenerator<Page, void> {
  let pageToken: string | undefined;
  do {
    const page = await read(pageToken);
    yield page;
    pageToken = page.nextPageToken || undefined;
  } while (pageToken !== undefined);
}
