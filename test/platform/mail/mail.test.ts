import { describe, expect, it } from 'vitest';
import { cleanHtml, escapeHtml, textOfHtml } from '../../../src/features/email/clean-html.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import { createMailer } from '../../../src/platform/mail/create-mailer.ts';
import { headerText } from '../../../src/platform/mail/mail.ts';
import { processorMsOf } from '../../support/processor-time.ts';

describe('HTML of users', () => {
  it.each([
    ['a script', '<script>a()</script>x', 'x'],
    ['a handler', '<p onmouseover="a()">x</p>', '<p>x</p>'],
    ['a style', '<p style="position:fixed" class="c" id="i">x</p>', '<p>x</p>'],
    ['an image', '<img src="https://example.com/x.gif">x', 'x'],
    ['a drawing', '<svg><script>a()</script><a xlink:href="javascript:a()">x</a></svg>', 'x'],
    ['what hides in comments', '<!--[if mso]><b>x</b><![endif]-->x', 'x'],
    ['an open tag', '<p>x<script', '<p>xscript</p>'],
    ['a base', '<base href="https://evil.example.com"><meta http-equiv="refresh">x', 'x'],
  ])('loses %s', (_what, html, clean) => {
    expect(cleanHtml(html).replaceAll(/<\/?a[^>]*>/g, '')).toBe(clean);
  });

  it.each([
    'javascript:a()',
    ' java\nscript:a()',
    'data:text/html,x',
    'vbscript:a',
    '//example.com',
    'file:///etc/passwd',
  ])('has no link to %s', (href) => {
    expect(cleanHtml(`<a href="${href}">x</a>`)).not.toContain('href');
  });

  it('keeps the elements of comments', () => {
    const html = '<h2>a</h2><ul><li><b>b</b> <em>c</em></li></ul><pre><code>d</code></pre>';
    expect(cleanHtml(html)).toBe(html);
    expect(cleanHtml('<a href="mailto:a@example.com">x</a>')).toContain('mailto:a@example.com');
  });

  it('is reduced to its text if it has too many tags, and sanitized in bounded time at any depth', () => {
    expect(cleanHtml(`${'<b>'.repeat(21_000)}x &lt; y<script>`)).not.toContain('<');
    expect(cleanHtml('<b>x</b>'.repeat(8_000))).toBe('x'.repeat(8_000));
    const tookMs = processorMsOf(() => {
      expect(cleanHtml(`${'<div>'.repeat(13_000)}x`)).toContain('x');
      expect(textOfHtml('<'.repeat(65_536))).toBe('<'.repeat(65_536));
    });
    expect(tookMs).toBeLessThan(2_000);
  });

  it('is converted to text with its line breaks and characters', () => {
    const html = '<p>a &amp; b</p><p>&lt;c&gt;<br>&quot;d&quot;</p><script>no</script>';
    expect(textOfHtml(html)).toBe('a & b\n<c>\n"d"');
    expect(textOfHtml('&amp;lt;')).toBe('&lt;');
  });
});

describe('text of users', () => {
  it('is escaped in HTML, also in attributes', () => {
    expect(escapeHtml(`<a b='x' c="&">`)).toBe('&lt;a b=&#39;x&#39; c=&quot;&amp;&quot;&gt;');
  });

  it('becomes one short line in a header', () => {
    expect(headerText(' a\r\nBcc: b\u2028c\td\0e ')).toBe('a Bcc: b c d e');
    expect(headerText('invoice\u202Efdp.exe')).toBe('invoice fdp.exe');
    // Mail clients would decode this to a line break.
    expect(headerText('=?UTF-8?Q?=0D=0ABcc:_b?=')).toBe('= ?UTF-8?Q?=0D=0ABcc:_b?=');
    expect(headerText('👩‍🚀 flies')).toBe('👩‍🚀 flies');
    expect(headerText('👩'.repeat(1000))).toBe('👩'.repeat(200));
  });
});

it('a mailer without an SMTP server logs mails instead', async () => {
  const lines: string[] = [];
  const log = createLogger('info', { write: (line) => lines.push(line) });
  const shown = {
    to: { name: 'Grace', address: 'grace@example.com' },
    subject: 'Ada mentioned you',
    text: 'See this',
  };
  const mail = {
    ...shown,
    from: { name: 'Acme', address: 'team@example.com' },
    replyTo: undefined,
    html: '<p>See this</p>',
    messageId: '<1@example.com>',
    threadId: '<2@example.com>',
  };
  await createMailer(undefined, log).send(mail, new AbortController().signal);
  const line = { ...shown, msg: 'An email was logged instead of sent.' };
  expect(lines.map((text) => JSON.parse(text))).toMatchObject([line]);
});
