/** Joins parts of a page with blank lines. Parts that are empty, false or undefined are left out. */
export const paragraphs = (...parts: Array<string | false | undefined>): string =>
  parts.filter(Boolean).join('\n\n');

/** Text for a cell of a table: on one line, with escaped bars. */
export const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');

export const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

export const fence = (language: string, text: string): string =>
  `\`\`\`${language}\n${text}\n\`\`\``;
