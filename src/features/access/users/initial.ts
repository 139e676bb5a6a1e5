const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** ASCII characters never combine, so the first character of such a name is its first grapheme. */
const ASCII_START = /^[ -~](?:[ -~]|$)/;

/** The first grapheme of a name, in upper case (specification 2.9). */
export function initialOf(name: string): string {
  const trimmed = name.trim();
  // This covers most names; the segmenter takes a hundred times as long, and a batch may hold 1,000.
  if (ASCII_START.test(trimmed)) return trimmed.charAt(0).toUpperCase();
  const [first] = graphemes.segment(trimmed);
  return first?.segment.toUpperCase() ?? '';
}
