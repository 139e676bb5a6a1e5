import type { ContentType } from '../api/contract.ts';

/** Formats content for people: text stays as it is, XML gets a line for each element, and JSON is indented. */
export function readableContent(type: ContentType, data: unknown): string {
  if (typeof data !== 'string') return JSON.stringify(data, null, 2);
  return type === 'xml' ? data.replace(/(<\/[^>]+>|\/>)(?=<)/g, '$1\n') : data;
}
