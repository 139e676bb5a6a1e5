interface Page {
  nextPageToken?: string | null;
}

/** Gives one page after the other, until the last. */
export async function* pagesOf(
  get: (input: object) => Promise<unknown>,
  input: unknown,
): AsyncGenerator<unknown, void> {
  const asked = input as object;
  let pageToken: string | null | undefined;
  do {
    const page = (await get({ ...asked, ...(pageToken && { pageToken }) })) as Page;
    yield page;
    pageToken = page.nextPageToken;
  } while (pageToken);
}
