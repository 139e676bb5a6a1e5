import type { ContentType } from '../api/contract.ts';

/** Content as a person reads it: text as it is, one line for each element of XML, and indented JSON. */
export function readableContent(type: ContentType, data: unknown): string {
  if (typeof data !== 'string') return JSON.stringify(data, null, 2);
  return type === 'xml' ? data.replace(/(<\/[^>]+>|\/>)(?=<)/g, '$1\n') : data;
}
