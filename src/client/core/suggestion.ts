/** The edit that a thread suggests. */
export interface SuggestedEdit {
  editorId: string;
  /** `pending`, `accepted` or `rejected`. */
  status: string;
  /** For each block, the quoted text and its replacement, which is empty for a deletion. */
  parts: Array<{ quote: string; replacement: string }>;
}

/**
 * Returns the edit that `suggestions.add` stored in a thread; undefined for any other thread, even one in
 * which an app has stored suggestions of its own.
 */
export function suggestionOf({ suggestion }: { suggestion?: unknown }): SuggestedEdit | undefined {
  const { editorId, status, pieces } = Object(suggestion) as Record<string, unknown>;
  if (typeof editorId !== 'string' || typeof status !== 'string' || !Array.isArray(pieces)) {
    return undefined;
  }
  const parts = pieces.map((piece) => Object(piece) as SuggestedEdit['parts'][number]);
  const isValid = parts.every(
    ({ quote, replacement }) => typeof quote === 'string' && typeof replacement === 'string',
  );
  return isValid ? { editorId, status, parts } : undefined;
}
