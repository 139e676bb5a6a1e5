/** A piece of a comment's text. */
export interface TextPiece {
  kind: 'text' | 'mention' | 'link';
  text: string;
}

const LINK = String.raw`https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]]`;

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Finds links and the names of mentioned users, longer names before their beginnings. */
export function splitText(text: string, names: string[]): TextPiece[] {
  const mentions = names
    .filter((name) => name !== '')
    .sort((a, b) => b.length - a.length)
    .map((name) => `@${escaped(name)}`);
  const pieces = text.split(new RegExp(`(${[...mentions, LINK].join('|')})`, 'u'));
  return pieces.flatMap((piece, at): TextPiece[] => {
    if (piece === '') return [];
    // Every other piece is what the expression found.
    const found = piece.startsWith('@') ? 'mention' : 'link';
    return [{ kind: at % 2 === 0 ? 'text' : found, text: piece }];
  });
}
