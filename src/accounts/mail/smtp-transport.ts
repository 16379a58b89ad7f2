import type { Transporter } from 'nodemailer';
import type { MailTransport } from './mailer.ts';
import type { Mail } from './mails.ts';

const MAX_CONNECTIONS = 2;
const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 30_000;

/**
 * Sends mails through the operator's SMTP server: `smtp://` (STARTTLS if offered) or `smtps://`, with the login in the
 * URL.
 */
export class SmtpTransport implements MailTransport {
  readonly #url: string;
  readonly #from: string;
  #transporter: Promise<Transporter> | null = null;

  /** `from`: an address, optionally with a name. */
  constructor(url: string, from: string) {
    this.#url = url;
    this.#from = from;
  }

  async send({ to, subject, text, html }: Mail): Promise<void> {
    this.#transporter ??= connect(this.#url);
    const transporter = await this.#transporter;
    // As an object, the address is used as it is. A string would be parsed and could contain several addresses.
    await transporter.sendMail({ from: this.#from, to: { name: '', address: to }, subject, text, html });
  }

  close(): void {
    void this.#transporter?.then((transporter) => transporter.close());
  }
}

/** Connects to the server. The library is loaded with the first mail, since most starts send none. */
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
