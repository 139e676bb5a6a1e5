const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Nothing in ASCII joins with what stands before it, so here the letter is the first character. */
const ASCII_START = /^[ -~](?:[ -~]|$)/;

/** The first letter of a name as people see it, in upper case (specification 2.9). */
export function initialOf(name: string): string {
  const trimmed = name.trim();
  // Most names; the segmenter takes a hundred times as long, and a batch may hold a thousand.
  if (ASCII_START.test(trimmed)) return trimmed.charAt(0).toUpperCase();
  const [first] = graphemes.segment(trimmed);
  return first?.segment.toUpperCase() ?? '';
}
