import sanitizeHtml from 'sanitize-html';

/** The most tags that are cleaned. No hand-written comment has more, and 20,000 tags would take 0.1 seconds. */
const MAX_TAGS = 2_000;

/**
 * The elements that comments may have. Images are excluded: loading them would reveal to their servers
 * who reads the email.
 */
const SANITIZE_OPTIONS: sanitizeHtml.IOptions = {
  // biome-ignore format: several names per line
  allowedTags: [
    'p', 'br', 'hr', 'div', 'span', 'blockquote', 'pre', 'code', 'a', 'ul', 'ol', 'li',
    'b', 'strong', 'i', 'em', 'u', 's', 'del', 'ins', 'mark', 'sub', 'sup', 'small',
    'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td',
  ],
  allowedAttributes: { a: ['href', 'rel'], ol: ['start'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  nestingLimit: 32,
};

/**
 * Sanitizes HTML from users for an email. Links that are not allowed, and HTML with too many tags, are
 * reduced to their text.
 */
export function cleanHtml(html: string, mayLink: (url: string) => boolean = () => true): string {
  if (html.split('<').length > MAX_TAGS) return escapeHtml(html.replaceAll(/<[^<>]*>/g, ''));
  return sanitizeHtml(html, {
    ...SANITIZE_OPTIONS,
    transformTags: {
      a: (tagName, { href = '' }): sanitizeHtml.Tag =>
        mayLink(href)
          ? { tagName, attribs: { href, rel: 'noopener noreferrer nofollow' } }
          : { tagName: 'span', attribs: {} },
    },
  });
}

const BREAKS = /<(?:br|hr|\/p|\/div|\/li|\/h[1-6]|\/tr|\/pre|\/blockquote)\b[^>]*>/gi;
const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

/** Converts HTML to plain text, and keeps the line breaks. */
export const textOfHtml = (html: string): string =>
  sanitizeHtml(cleanHtml(html).replaceAll(BREAKS, '\n'), { allowedTags: [] })
    .replaceAll(/&(?:lt|gt|quot|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();

/** Converts plain text to HTML that shows the same text. */
export const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
