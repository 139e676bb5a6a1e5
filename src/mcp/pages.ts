/** The most characters of a page, so that one answer does not fill what an agent can hold. */
const PAGE = 8_000;

/** Cuts a text at the ends of lines where there are some. */
export function pagesOf(text: string): string[] {
  const pages: string[] = [];
  let start = 0;
  while (text.length - start > PAGE) {
    const end = endOfPage(text, start);
    pages.push(text.slice(start, end));
    start = end;
  }
  return [...pages, text.slice(start)];
}

function endOfPage(text: string, start: number): number {
  const most = start + PAGE;
  const line = text.lastIndexOf('\n', most - 1) + 1;
  if (line > start + PAGE / 2) return line;
  // A surrogate pair stays whole.
  const code = text.charCodeAt(most);
  return code >= 0xdc00 && code < 0xe000 ? most - 1 : most;
}
