import type { ReactNode } from 'react';
import type { User } from '../../../api/contract.ts';
import type { ThreadComment } from '../../core/thread.ts';
import { splitText, type TextPiece } from './split-text.ts';

export const nameOf = ({ name, email, userId }: User): string => name || email || userId;

/** The text of a comment, with its links and mentions. It is never taken for HTML. */
export function CommentText({ comment }: { comment: ThreadComment }): ReactNode {
  const pieces = splitText(plainTextOf(comment), comment.taggedUserContacts.map(nameOf));
  return <div className="collab-text">{pieces.map(showPiece)}</div>;
}

function showPiece({ kind, text }: TextPiece, at: number): ReactNode {
  if (kind === 'text') return text;
  if (kind === 'mention') {
    return (
      <span key={at} className="collab-mention">
        {text}
      </span>
    );
  }
  return (
    <a key={at} href={text} target="_blank" rel="noopener noreferrer nofollow ugc">
      {text}
    </a>
  );
}

/** The text of a comment, also of one that has HTML alone. */
export const plainTextOf = ({ commentText, commentHtml }: ThreadComment): string =>
  commentText || textOf(commentHtml);

/** The text of HTML, whose scripts do not run and whose images are not loaded. */
const textOf = (html: string): string =>
  html === '' || typeof DOMParser === 'undefined'
    ? ''
    : (new DOMParser().parseFromString(html, 'text/html').body.textContent ?? '');
