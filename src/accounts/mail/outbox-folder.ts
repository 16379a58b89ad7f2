import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newToken } from '../../base/tokens.ts';
import type { MailTransport } from './mailer.ts';
import type { Mail } from './mails.ts';

export interface OutboxObserver {
  /** A mail was kept that nobody sends. */
  mailKept(mail: Mail, path: string): void;
}

/**
 * Mails without an SMTP server: a file each, and told to the log, links and all, for whoever tries the gateway out.
 * Only the owner may read the files, because whoever has a link is let in by it.
 */
export class OutboxFolder implements MailTransport {
  readonly #dir: string;
  readonly #nowIso: () => string;
  readonly #observer: OutboxObserver;

  constructor(dir: string, nowIso: () => string, observer: OutboxObserver) {
    this.#dir = dir;
    this.#nowIso = nowIso;
    this.#observer = observer;
  }

  async send(mail: Mail): Promise<void> {
    const name = `${this.#nowIso().replaceAll(':', '-')}-${newToken().slice(0, 6)}.txt`;
    const path = join(this.#dir, name);
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    await writeFile(path, `To: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text}`, {
      mode: 0o600,
      flag: 'wx',
    });
    this.#observer.mailKept(mail, path);
  }

  close(): void {}
}
