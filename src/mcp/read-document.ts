import { isLarge } from '../features/crdt/worker/run-job.ts';
import type { PresentedEditor } from '../features/crdt/schema.ts';
import { PreserializedJson } from '../platform/json.ts';
import { toMarkdown } from './markdown.ts';

export type Format = 'markdown' | 'stored';

interface DocumentText {
  /** Large rich text is returned as it is stored, since converting it would hold up other calls. */
  format: Format;
  text: string;
}

/** The text of an editor: Markdown of rich text, plain text as it is, and JSON of maps and arrays. */
export function textOf({ type, data }: PresentedEditor, asked: Format): DocumentText {
  const value: unknown = data instanceof PreserializedJson ? data.toJSON() : data;
  if (typeof value !== 'string') return { format: 'stored', text: JSON.stringify(value, null, 1) };
  if (type !== 'xml') return { format: asked, text: value };
  const converts = asked === 'markdown' && !isLarge(type, value.length);
  return converts
    ? { format: 'markdown', text: toMarkdown(value) }
    : { format: 'stored', text: value };
}
