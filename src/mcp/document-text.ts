import type { PresentedEditor } from '../features/crdt/schema.ts';
import { writeJson } from '../platform/json.ts';
import { toMarkdown } from './markdown.ts';

type Format = 'markdown' | 'stored';

/**
 * The longest rich text that is converted. That takes about 20 ms, or 100 ms where lists and quotes are
 * nested as deeply as they may be.
 */
const MAX_CONVERTED_CHARS = 128 * 1024;

interface DocumentText {
  /** `stored` also for rich text that is too long to be converted. */
  format: Format;
  text: string;
}

/** The text of an editor: Markdown of rich text, plain text as it is, and JSON of maps and arrays. */
export function textOf({ type, data }: PresentedEditor, requested: Format): DocumentText {
  const json = writeJson(data);
  if (type !== 'text' && type !== 'xml') return { format: 'stored', text: json };
  // The data may be preserialized, so that only its JSON holds the text.
  const text = String(JSON.parse(json));
  if (type === 'text') return { format: requested, text };
  const converts = requested === 'markdown' && text.length <= MAX_CONVERTED_CHARS;
  return converts ? { format: 'markdown', text: toMarkdown(text) } : { format: 'stored', text };
}
