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
  readonly #from: string;
  readonly #transporter: Promise<Transporter>;

  /** `from`: an address, optionally with a name. */
  constructor(url: string, from: string) {
    this.#from = from;
    this.#transporter = open(url);
    // Whoever sends a mail is told.
    this.#transporter.catch(() => undefined);
  }

  async send({ to, subject, text, html }: Mail): Promise<void> {
    const transporter = await this.#transporter;
    // As an object, the address is used as it is. A string would be parsed and could contain several addresses.
    await transporter.sendMail({ from: this.#from, to: { name: '', address: to }, subject, text, html });
  }

  close(): void {
    this.#transporter.then(
      (transporter) => transporter.close(),
      () => undefined,
    );
  }
}

/** Loads the library at the start, not with the first mail: calls would wait for 50 to 200 ms. Connects with the first mail. */
async function open(url: string): Promise<Transporter> {
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
