import { headerText } from '../../platform/mail/mail.ts';
import type { PresentedComment } from '../comments/response-schemas.ts';
import { fillHeadline } from '../notifications/fill-headline.ts';
import {
  type AnnotationEventData,
  publishedComments,
} from '../notifications/generate/annotation-event.ts';
import type { Reason } from '../notifications/generate/audience.ts';
import { headlineOf } from '../notifications/generate/headline-templates.ts';
import { cleanHtml, escapeHtml, textOfHtml } from './clean-html.ts';
import type { ReadyMail } from './prepare-mail.ts';

export type MailContent = ReturnType<typeof buildMailContent>;

const REASON_SENTENCES: Record<Reason, string> = {
  mentioned: 'You are receiving this email because you were mentioned.',
  assigned: 'You are receiving this email because this is assigned to you.',
  subscribed: 'You are receiving this email because you take part in this conversation.',
};

/** The most comments in one email. The email links to the other comments. */
const MAX_COMMENTS = 10;

/**
 * Whether a URL that a user has written may be shown as a link. Functions get no such check for URLs that
 * the customer's server has written, and show them all.
 */
type IsTrusted = (url: string) => boolean;

/** Returns the content of an email, which is sent as it is or fills a template of SendGrid. */
export function buildMailContent(
  { event, recipient, isWrittenByUser }: ReadyMail,
  isTrusted: IsTrusted,
) {
  const { reason } = recipient;
  const { template, templateData } = headlineOf(event, reason);
  const headline = headerText(fillHeadline(template, templateData));
  const { url, title } = annotationPageOf(
    event.data,
    isWrittenByUser('pageInfo') ? isTrusted : undefined,
  );
  const documentTitle = headerText(title);
  const comments = shownComments(event.data);
  const commentText = comments.map(textOf).join('\n\n');
  const commentHtml = comments
    .map((comment) => htmlOf(comment, isWrittenByUser(comment.commentId) ? isTrusted : undefined))
    .join('\n');
  const fields = { headline, url, commentText, commentHtml, documentTitle };
  return {
    ...fields,
    subject: headerText(documentTitle === '' ? headline : `${headline}: ${documentTitle}`),
    text: plainTextMail(fields, REASON_SENTENCES[reason]),
    html: htmlMail(fields, REASON_SENTENCES[reason]),
  };
}

/** Returns the comments of the event, or else the opening comment of the thread. */
function shownComments(data: AnnotationEventData): PresentedComment[] {
  const comments = publishedComments(data);
  if (comments.length > 0) return comments.slice(-MAX_COMMENTS);
  return data.comments.filter(({ isDraft }) => !isDraft).slice(0, 1);
}

const textOf = ({ commentText, commentHtml }: PresentedComment): string =>
  commentText === '' ? textOfHtml(commentHtml) : commentText;

const htmlOf = ({ commentText, commentHtml }: PresentedComment, isTrusted?: IsTrusted): string =>
  commentHtml === ''
    ? `<p>${escapeHtml(commentText).replaceAll(/\r\n?|\n/g, '<br>')}</p>`
    : cleanHtml(commentHtml, isTrusted);

const MAX_URL_LENGTH = 2048;

/** Matches text that email clients turn into links. */
const LINK_PATTERN = /:\/\/|\bwww\.|\w@\w/i;

/**
 * Returns the URL and the title of the annotation's page, as the app gave them (specification 2.11). If a
 * user gave them, an untrusted URL is left out, and the title is used only beside a trusted URL and only if
 * the title does not look like a link.
 */
function annotationPageOf({ pageInfo }: AnnotationEventData, isTrusted?: IsTrusted) {
  const { commentUrl, url: pageUrl, title } = Object(pageInfo) as Record<string, unknown>;
  const urls = [commentUrl, pageUrl].filter((each) => typeof each === 'string');
  const url = urls.find((each) => isWebAddress(each) && (isTrusted?.(each) ?? true));
  const givenTitle = typeof title === 'string' ? title : '';
  const isUnsafe = isTrusted && (url === undefined || LINK_PATTERN.test(givenTitle));
  return { url, title: isUnsafe ? '' : givenTitle };
}

const isWebAddress = (text: string): boolean =>
  text.length <= MAX_URL_LENGTH &&
  /^https?:\/\/[^\s<>"]+$/i.test(text) &&
  !/\p{Cc}/u.test(text) &&
  URL.canParse(text);

interface MailFields {
  headline: string;
  /** The URL of the annotation or of its page; undefined if no trusted URL is known. */
  url: string | undefined;
  commentText: string;
  /** Sanitized HTML. */
  commentHtml: string;
}

const plainTextMail = ({ headline, url, commentText }: MailFields, reason: string) =>
  [headline, commentText, url ?? '', `-- \n${reason}`].filter((part) => part !== '').join('\n\n');

const htmlMail = ({ headline, url, commentHtml }: MailFields, reason: string) => `\
<!doctype html>
<html>
<head><meta charset="utf-8"><title>${escapeHtml(headline)}</title></head>
<body style="font-family: sans-serif; line-height: 1.5; color: #1f2328;">
<p><strong>${escapeHtml(headline)}</strong></p>
<div style="border-left: 3px solid #d0d7de; margin: 0 0 16px; padding: 0 12px;">
${commentHtml}
</div>
${url === undefined ? '' : `<p><a href="${escapeHtml(url)}">Open in the document</a></p>`}
<p style="color: #656d76; font-size: 12px;">${escapeHtml(reason)}</p>
</body>
</html>`;
