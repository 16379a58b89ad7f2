import type { Mailbox, ReceivedMail } from '../../test/support/mailbox.ts';
import { waitFor } from '../../test/support/wait-for.ts';

/** A received mail with its link. */
export interface Mail {
  readonly subject: string;
  readonly link: string;
}

/** Access of an attack to all mails. */
export interface Mails {
  /** Waits for a mail to this address whose link has this path and a token, and removes it. */
  take(to: string, path: string): Promise<Mail>;
  /** Returns the subjects of the remaining mails to this address. */
  subjects(to: string): Promise<string[]>;
}

/** A question from an attack's process to the process that owns the mailbox. */
export type MailQuestion =
  | { readonly ask: 'take'; readonly id: number; readonly to: string; readonly path: string }
  | { readonly ask: 'subjects'; readonly id: number; readonly to: string };

export interface MailAnswer {
  readonly id: number;
  readonly mail?: Mail;
  readonly subjects?: readonly string[];
  readonly error?: string;
}

/** Answers a question about mails. */
export async function answerAboutMails(mailbox: Mailbox, question: MailQuestion): Promise<MailAnswer> {
  const { id, to } = question;
  const isTheirs = (mail: ReceivedMail) => mail.to.includes(to);
  if (question.ask === 'subjects')
    return { id, subjects: mailbox.received.filter(isTheirs).map(({ subject }) => subject) };
  const { path } = question;
  try {
    const mail = await waitFor(`a mail to ${to} with a link to ${path}`, () =>
      mailbox.received.find((each) => isTheirs(each) && linkTo(each, path) !== null),
    );
    mailbox.received.splice(mailbox.received.indexOf(mail), 1);
    return { id, mail: { subject: mail.subject, link: linkTo(mail, path) ?? '' } };
  } catch (error) {
    return { id, error: (error as Error).message };
  }
}

function linkTo({ text }: ReceivedMail, path: string): string | null {
  const links = [...text.matchAll(/https?:\/\/\S+/g)].map(([link]) => link);
  const isWanted = ({ pathname, searchParams }: URL) => pathname === path && searchParams.has('token');
  return links.find((link) => isWanted(new URL(link))) ?? null;
}

/** Access to the mails from an attack's process. */
export class RemoteMails implements Mails {
  readonly #waiting = new Map<number, PromiseWithResolvers<MailAnswer>>();
  #questions = 0;

  constructor() {
    process.on('message', (answer: MailAnswer) => {
      this.#waiting.get(answer.id)?.resolve(answer);
      this.#waiting.delete(answer.id);
    });
  }

  async take(to: string, path: string): Promise<Mail> {
    const { mail, error } = await this.#ask({ ask: 'take', id: ++this.#questions, to, path });
    if (mail === undefined) throw new Error(error);
    return mail;
  }

  async subjects(to: string): Promise<string[]> {
    const { subjects = [] } = await this.#ask({ ask: 'subjects', id: ++this.#questions, to });
    return [...subjects];
  }

  #ask(question: MailQuestion): Promise<MailAnswer> {
    const answered = Promise.withResolvers<MailAnswer>();
    this.#waiting.set(question.id, answered);
    process.send?.(question);
    return answered.promise;
  }
}
