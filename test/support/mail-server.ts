import { once } from 'node:events';
import { SMTPServer } from 'smtp-server';
import { whenFileEnds } from './when-file-ends.ts';

/** A mail as it arrived, parsed. */
interface ArrivedMail {
  from: string;
  to: string;
  /** Headers by lower-case name, unfolded and decoded. */
  headers: Record<string, string>;
  text: string;
  html: string;
}

/** The answer that refuses a mail, for example `[451, 'Try later']`. */
type Refusal = [code: number, message: string];

/** A real SMTP server on a free port, closed at the end of the file. */
export async function startMailServer() {
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onRcptTo({ address }, _session, callback) {
      server.offered.push(address);
      const refusal = server.refuse(address);
      if (!refusal) return callback();
      const [responseCode, message] = refusal;
      callback(Object.assign(new Error(message), { responseCode }));
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const { mailFrom, rcptTo } = session.envelope;
        const to = rcptTo[0]?.address ?? '';
        await server.hold(to);
        const from = mailFrom === false ? '' : mailFrom.address;
        server.mails.push({ from, to, ...parseMail(Buffer.concat(chunks).toString()) });
        callback();
      });
    },
  });
  // A connection that a test breaks is an error here.
  smtp.on('error', () => undefined);
  smtp.listen(0, '127.0.0.1');
  await once(smtp.server, 'listening');
  whenFileEnds(() => new Promise<void>((resolve) => void smtp.close(resolve)));
  const address = smtp.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const server = {
    url: `smtp://127.0.0.1:${port}`,
    mails: [] as ArrivedMail[],
    /** The recipients of all offered mails, accepted or refused. */
    offered: [] as string[],
    /** Called at RCPT TO. Undefined accepts the mail. */
    refuse: (_to: string): Refusal | undefined => undefined,
    /** Awaited before a mail is accepted. */
    hold: async (_to: string): Promise<void> => undefined,
    mailsTo: (to: string): ArrivedMail[] => server.mails.filter((mail) => mail.to === to),
  };
  return server;
}

/** Parses the only MIME structure of the service: one multipart/alternative. */
function parseMail(source: string): Pick<ArrivedMail, 'headers' | 'text' | 'html'> {
  const { headers, body } = parsePart(source);
  const boundary = /boundary="?([^";]+)/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = body.split(`--${boundary}`).slice(1, -1).map(parsePart);
  const bodyOf = (type: string) =>
    parts.find((part) => part.headers['content-type']?.startsWith(type))?.body.trim() ?? '';
  return { headers, text: bodyOf('text/plain'), html: bodyOf('text/html') };
}

function parsePart(source: string): { headers: Record<string, string>; body: string } {
  const [head = '', ...rest] = source.replace(/^\r\n/, '').split('\r\n\r\n');
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())];
    }),
  );
  const body = rest.join('\r\n\r\n');
  const encoding = headers['content-transfer-encoding'];
  if (encoding === 'base64') return { headers, body: Buffer.from(body, 'base64').toString() };
  if (encoding === 'quoted-printable') return { headers, body: decodeQuoted(body) };
  return { headers, body };
}

const decodeWords = (text: string): string =>
  text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?UTF-8\?([BQ])\?(.*?)\?=/gi, (_all, kind: string, word: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString()
        : decodeQuoted(word.replaceAll('_', ' ')),
    );

const decodeQuoted = (text: string): string =>
  Buffer.from(
    text
      .replaceAll(/=\r\n/g, '')
      .replaceAll(/=([0-9A-F]{2})/gi, (_all, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      ),
    'latin1',
  ).toString();
