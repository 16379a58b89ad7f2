import type { Transporter } from 'nodemailer';
import type { MailTransport } from './mailer.ts';
import type { Mail } from './mails.ts';

const MAX_CONNECTIONS = 2;
const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 30_000;

/** Mails by the operator's SMTP server: `smtp://` (STARTTLS where it is offered) or `smtps://`, with a login in it. */
export class SmtpTransport implements MailTransport {
  readonly #url: string;
  readonly #from: string;
  #transporter: Promise<Transporter> | null = null;

  /** `from`: an address, or a name and an address. */
  constructor(url: string, from: string) {
    this.#url = url;
    this.#from = from;
  }

  async send(mail: Mail): Promise<void> {
    this.#transporter ??= connect(this.#url);
    const transporter = await this.#transporter;
    const { to, subject, text, html } = mail;
    // As an object, an address is taken as it is; a text would be parsed, and could name several.
    await transporter.sendMail({ from: this.#from, to: { name: '', address: to }, subject, text, html });
  }

  close(): void {
    void this.#transporter?.then((transporter) => transporter.close());
  }
}

/** Loaded with the first mail: most starts send none. */
async function connect(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
