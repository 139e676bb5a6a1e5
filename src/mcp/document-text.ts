import type { PresentedEditor } from '../features/crdt/schema.ts';
import { writeJson } from '../platform/json.ts';
import { toMarkdown } from './markdown.ts';

type Format = 'markdown' | 'stored';

/**
 * The longest rich text that is converted. The conversion takes about 20 ms, or 100 ms if lists and quotes are
 * nested as deeply as possible.
 */
const MAX_CONVERTED_CHARS = 128 * 1024;

interface DocumentText {
  /** This is also `stored` for rich text that is too long to be converted. */
  format: Format;
  text: string;
}

/** Returns the text of an editor: rich text as Markdown, plain text unchanged, and maps and arrays as JSON. */
export function textOf({ type, data }: PresentedEditor, requested: Format): DocumentText {
  const json = writeJson(data);
  if (type !== 'text' && type !== 'xml') return { format: 'stored', text: json };
  // The data may be preserialized JSON, so the text is read from its JSON.
  const text = String(JSON.parse(json));
  if (type === 'text') return { format: requested, text };
  const converts = requested === 'markdown' && text.length <= MAX_CONVERTED_CHARS;
  return converts ? { format: 'markdown', text: toMarkdown(text) } : { format: 'stored', text };
}
