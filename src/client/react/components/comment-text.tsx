import type { ReactNode } from 'react';
import type { User } from '../../../api/contract.ts';
import type { ThreadComment } from '../../core/thread.ts';
import { sourceOf } from './format-text.ts';
import { richText } from './rich-text.tsx';
import { splitText, type TextPiece } from './split-text.ts';

export const nameOf = ({ name, email, userId }: User): string => name || email || userId;

/** The text of a comment, with its formats, links and mentions. Its HTML is never put into the page. */
export function CommentText({ comment }: { comment: ThreadComment }): ReactNode {
  const names = comment.taggedUserContacts.map(nameOf);
  const show = (text: string) => splitText(text, names).map(showPiece);
  const { commentText, commentHtml } = comment;
  const hasHtml = commentHtml !== '' && typeof DOMParser !== 'undefined';
  return (
    <div className="collab-text">{hasHtml ? richText(commentHtml, show) : show(commentText)}</div>
  );
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

/** The text of a comment as its author writes it, with the marks of its formats. */
export const editableTextOf = ({ commentText, commentHtml }: ThreadComment): string =>
  commentHtml === '' ? commentText : sourceOf(commentHtml);
