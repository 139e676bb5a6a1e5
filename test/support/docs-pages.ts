/** The addresses that the HTML of a page contains. */
export const addressesIn = (html: string): string[] =>
  [...html.matchAll(/\s(?:src|href)="([^"]*)"/g)].map((match) => match[1] ?? '');

export const idsIn = (html: string): Set<string> =>
  new Set([...html.matchAll(/\sid="([^"]*)"/g)].map((match) => match[1] ?? ''));

/** A page, or any other file, with its HTML if it has some. */
export interface Visited {
  url: string;
  status: number;
  headers: Headers;
  text: string;
}

/** Follows every link from a page and the pages below it, as a crawler would. Answers by address without the anchor. */
export async function crawl(start: string): Promise<Map<string, Visited>> {
  const visited = new Map<string, Visited>();
  const waiting = [start];
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    if (visited.has(url)) continue;
    const response = await fetch(url);
    const text = await response.text();
    visited.set(url, { url, status: response.status, headers: response.headers, text });
    const isPage = response.headers.get('content-type')?.startsWith('text/html');
    if (!isPage || !url.startsWith(start)) continue;
    for (const target of linksFrom(url, text)) waiting.push(target.split('#')[0] ?? '');
  }
  return visited;
}

/** The links of a page to others of this server, with their anchors. */
export const linksFrom = (url: string, html: string): string[] =>
  addressesIn(html)
    .map((address) => new URL(address, url))
    .filter(({ origin }) => origin === new URL(url).origin)
    .map(({ href }) => href);
