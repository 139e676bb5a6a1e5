import { headerText } from '../../platform/mail/mail.ts';
import type { PresentedComment } from '../comments/presented.ts';
import {
  type AnnotationEventData,
  commentsOf,
} from '../notifications/generate/annotation-event.ts';
import type { Reason } from '../notifications/generate/audience.ts';
import { headlineOf } from '../notifications/generate/wording.ts';
import { fillHeadline } from '../notifications/headline.ts';
import { cleanHtml, escapeHtml, textOfHtml } from './clean-html.ts';
import type { ReadyMail } from './prepare-mails.ts';

export type MailContent = ReturnType<typeof contentOf>;

const BECAUSE: Record<Reason, string> = {
  mentioned: 'You get this mail because you were mentioned.',
  assigned: 'You get this mail because this is assigned to you.',
  subscribed: 'You get this mail because you take part in this conversation.',
};

/** The most comments in one mail. The mail links to the others. */
const MAX_COMMENTS = 10;

/** A URL that a user has written may lead only to trusted places. */
type IsTrusted = (url: string) => boolean;

/** The content of a mail, for SMTP and for templates alike. */
export function contentOf({ event, recipient, isByUser }: ReadyMail, isTrusted: IsTrusted) {
  const { reason } = recipient;
  const { annotationId } = event.data;
  const { template, templateData } = headlineOf(event, reason);
  const headline = headerText(fillHeadline(template, templateData));
  const { url, title } = pageOf(event.data, isByUser(annotationId) ? isTrusted : undefined);
  const documentTitle = headerText(title);
  const comments = shownComments(event.data);
  const commentText = comments.map(textOf).join('\n\n');
  const commentHtml = comments
    .map((one) => htmlOf(one, isByUser(annotationId, one.commentId) ? isTrusted : undefined))
    .join('\n');
  const words = { headline, url, commentText, commentHtml, documentTitle };
  return {
    ...words,
    subject: headerText(documentTitle === '' ? headline : `${headline}: ${documentTitle}`),
    text: plainText(words, BECAUSE[reason]),
    html: page(words, BECAUSE[reason]),
  };
}

/** Returns the comments of the event, or else the opening comment of the thread. */
function shownComments(data: AnnotationEventData): PresentedComment[] {
  const about = commentsOf(data);
  const others = data.comments.filter(({ isDraft }) => !isDraft).slice(0, 1);
  return about.length > 0 ? about.slice(-MAX_COMMENTS) : others;
}

const textOf = ({ commentText, commentHtml }: PresentedComment): string =>
  commentText === '' ? textOfHtml(commentHtml) : commentText;

const htmlOf = ({ commentText, commentHtml }: PresentedComment, isTrusted?: IsTrusted): string =>
  commentHtml === ''
    ? `<p>${escapeHtml(commentText).replaceAll(/\r\n?|\n/g, '<br>')}</p>`
    : cleanHtml(commentHtml, isTrusted);

const MAX_URL = 2048;

/** Text that mail clients turn into links. */
const LOOKS_LIKE_LINK = /:\/\/|\bwww\.|\w@\w/i;

/**
 * Returns the page of the annotation as its frontend gave it (2.11). A URL from a user is used only
 * if it leads to a trusted place, and a title only with it.
 */
function pageOf({ pageInfo }: AnnotationEventData, isTrusted?: IsTrusted) {
  const { commentUrl, url: pageUrl, title } = Object(pageInfo) as Record<string, unknown>;
  const urls = [commentUrl, pageUrl].filter((each) => typeof each === 'string');
  const url = urls.find((each) => isWebAddress(each) && (isTrusted?.(each) ?? true));
  const named = typeof title === 'string' ? title : '';
  const isUnfit = isTrusted && (url === undefined || LOOKS_LIKE_LINK.test(named));
  return { url, title: isUnfit ? '' : named };
}

const isWebAddress = (text: string): boolean =>
  text.length <= MAX_URL &&
  /^https?:\/\/[^\s<>"]+$/i.test(text) &&
  !/\p{Cc}/u.test(text) &&
  URL.canParse(text);

interface Words {
  headline: string;
  /** The page of the annotation or its document; undefined if no trusted one is known. */
  url: string | undefined;
  commentText: string;
  /** Sanitized HTML. */
  commentHtml: string;
}

const plainText = ({ headline, url, commentText }: Words, because: string) =>
  [headline, commentText, url ?? '', `-- \n${because}`].filter((part) => part !== '').join('\n\n');

const page = ({ headline, url, commentHtml }: Words, because: string) => `\
<!doctype html>
<html>
<head><meta charset="utf-8"><title>${escapeHtml(headline)}</title></head>
<body style="font-family: sans-serif; line-height: 1.5; color: #1f2328;">
<p><strong>${escapeHtml(headline)}</strong></p>
<div style="border-left: 3px solid #d0d7de; margin: 0 0 16px; padding: 0 12px;">
${commentHtml}
</div>
${url === undefined ? '' : `<p><a href="${escapeHtml(url)}">Open in the document</a></p>`}
<p style="color: #656d76; font-size: 12px;">${escapeHtml(because)}</p>
</body>
</html>`;
