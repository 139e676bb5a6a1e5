import type { PresentedEditor } from '../features/crdt/schema.ts';
import { writeJson } from '../platform/json.ts';
import { toMarkdown } from './markdown.ts';

type Format = 'markdown' | 'stored';

/**
 * The longest rich text that is converted, in characters: in some 20 ms, or 100 where lists and
 * quotes are nested as deep as they may be.
 */
const MAX_CONVERTED = 128 * 1024;

interface DocumentText {
  /** Longer rich text is returned as it is stored. */
  format: Format;
  text: string;
}

/** The text of an editor: Markdown of rich text, plain text as it is, and JSON of maps and arrays. */
export function textOf({ type, data }: PresentedEditor, asked: Format): DocumentText {
  const json = writeJson(data);
  if (type !== 'text' && type !== 'xml') return { format: 'stored', text: json };
  const text = String(JSON.parse(json));
  if (type === 'text') return { format: asked, text };
  const converts = asked === 'markdown' && text.length <= MAX_CONVERTED;
  return converts ? { format: 'markdown', text: toMarkdown(text) } : { format: 'stored', text };
}
