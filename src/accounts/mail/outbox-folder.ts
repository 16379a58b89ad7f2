import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newToken } from '../../base/ids.ts';
import type { MailTransport } from './mailer.ts';
import type { Mail } from './mails.ts';

export interface OutboxObserver {
  /** A mail was written to the folder instead of being sent. */
  mailSavedToFile(mail: Mail, path: string): void;
}

/**
 * The transport without an SMTP server, for trying out the gateway. Writes each mail to a file and reports it to the
 * log, including its links. Only the owner may read the files, because the links give access.
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
    this.#observer.mailSavedToFile(mail, path);
  }

  close(): void {}
}
