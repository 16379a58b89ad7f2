import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { waitFor } from './wait-for.ts';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  /** The plain text of it, decoded. */
  readonly text: string;
}

const LOGIN = { user: 'gateway', password: 'mail-secret' };

/** A real SMTP server, with a login, that keeps what it receives. */
export class Mailbox {
  readonly received: ReceivedMail[] = [];
  readonly #server: SMTPServer;

  private constructor() {
    this.#server = new SMTPServer({
      // A certificate of its own would not be trusted; loopback traffic needs no TLS.
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) => {
        const isRight = username === LOGIN.user && password === LOGIN.password;
        if (isRight) done(null, { user: username });
        else done(new Error('wrong login'));
      },
      onData: (stream, { envelope }, done) => {
        void text(stream).then((raw) => {
          const from = envelope.mailFrom ? envelope.mailFrom.address : '';
          this.received.push({ from, to: envelope.rcptTo.map(({ address }) => address), ...parse(raw) });
          done();
        }, done);
      },
    });
  }

  static async open(): Promise<Mailbox> {
    const mailbox = new Mailbox();
    mailbox.#server.listen(0, '127.0.0.1');
    await once(mailbox.#server.server, 'listening');
    return mailbox;
  }

  /** For SVC_SMTP_URL. */
  get url(): string {
    const { port } = this.#server.server.address() as AddressInfo;
    return `smtp://${LOGIN.user}:${LOGIN.password}@127.0.0.1:${port}`;
  }

  /** Waits for a mail to an address with this subject, and takes it out. */
  async take(to: string, subject: string): Promise<ReceivedMail> {
    const isWanted = (mail: ReceivedMail) => mail.to.includes(to) && mail.subject === subject;
    const mail = await waitFor(`"${subject}" to ${to}`, () => this.received.find(isWanted));
    this.received.splice(this.received.indexOf(mail), 1);
    return mail;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

/** The one link of a mail. */
export function linkIn(mail: ReceivedMail): string {
  const link = /https?:\/\/\S+/.exec(mail.text)?.[0];
  if (link === undefined) throw new Error(`no link in ${mail.text}`);
  return link;
}

function parse(raw: string): Pick<ReceivedMail, 'subject' | 'text'> {
  const subject = /^subject: (.*)$/im.exec(raw)?.[1]?.trim() ?? '';
  const boundary = /boundary="([^"]+)"/.exec(raw)?.[1];
  const parts = boundary === undefined ? [raw] : raw.split(`--${boundary}`);
  const plain = parts.find((part) => /^content-type: text\/plain/im.test(part)) ?? '';
  const [head = '', ...body] = plain.split('\r\n\r\n');
  return { subject, text: decoded(body.join('\r\n\r\n'), head) };
}

/** RFC 2045, section 6. */
function decoded(body: string, head: string): string {
  const encoding = /^content-transfer-encoding: (\S+)/im.exec(head)?.[1]?.toLowerCase();
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
