import { printJsonValue } from './literals.ts';

/** Text for a cell of a table: on one line, without bars. */
export const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');

export const code = (text: string): string => `\`${text}\``;

export const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

export const fence = (language: string, text: string): string =>
  `\`\`\`${language}\n${text}\n\`\`\``;

export const json = (value: unknown): string => fence('json', printJsonValue(value));
