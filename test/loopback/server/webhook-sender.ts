import { createHmac, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { isSameSecret } from '../../../src/base/tokens.ts';
import type { Message } from './space.ts';
import { VendorError } from './vendor-error.ts';

const ATTEMPTS = 20;
const RETRY_MS = 250;
const ANSWER_DEADLINE_MS = 10_000;
const SIGNATURE = 'x-loopback-signature';
const RANDOM = 'x-loopback-random';

/** What an app may answer an event with: nothing, or a message that is posted for it. */
const EventAnswer = z.strictObject({
  text: z.string().default(''),
  nonce: z.string().max(64).default(''),
});
const Challenge = z.strictObject({ challenge: z.string() });

type AnswerMessage = z.output<typeof EventAnswer>;

/** An answer as the app gave it. */
export interface WebhookAnswer {
  readonly status: number;
  readonly text: string | null;
}

/**
 * Posts the events of an account's channels to its app: signed over a random text and the body, one after the other,
 * and again until they are answered with 200. The app has to sign each answer over the same random text.
 */
export class WebhookSender {
  readonly answers: WebhookAnswer[] = [];
  readonly #url: string;
  readonly #secret: string;
  #posting: Promise<unknown> = Promise.resolve();

  private constructor(url: string, secret: string) {
    this.#url = url;
    this.#secret = secret;
  }

  /** Rejects with VendorError unless the app repeats a challenge. */
  static async subscribe(url: string, secret: string): Promise<WebhookSender> {
    const sender = new WebhookSender(url, secret);
    const challenge = randomBytes(12).toString('hex');
    const { status, json } = await sender.#post({ type: 'verify', challenge });
    const read = Challenge.safeParse(json);
    if (status === 200 && read.success && read.data.challenge === challenge) return sender;
    throw new VendorError(400, 'not_verified', `The webhook did not repeat the challenge (${status})`);
  }

  /** `onMessage`: receives the message that the app answers with. */
  send(type: 'message' | 'edited', message: Message, onMessage: (answer: AnswerMessage) => void): void {
    this.#posting = this.#posting.then(async () => {
      const answer = await this.#sendUntilTaken({ type, message });
      if (answer !== null) onMessage(answer);
    });
  }

  /** The headers of a request with this body. */
  headersOf(body: string): Record<string, string> {
    const random = randomBytes(16).toString('hex');
    const signature = signatureOf(this.#secret, random, body);
    return { 'content-type': 'application/json', [RANDOM]: random, [SIGNATURE]: signature };
  }

  async #sendUntilTaken(event: object): Promise<AnswerMessage | null> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { status, json } = await this.#post(event);
      const read = EventAnswer.safeParse(json);
      const answer = read.success && read.data.text !== '' ? read.data : null;
      this.answers.push({ status, text: answer?.text ?? null });
      if (status === 200 && read.success) return answer;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
    }
    return null;
  }

  /** Status 0: no answer, or one that is not signed. */
  async #post(event: object): Promise<{ readonly status: number; readonly json: unknown }> {
    const body = JSON.stringify(event);
    const headers = this.headersOf(body);
    try {
      const signal = AbortSignal.timeout(ANSWER_DEADLINE_MS);
      const answer = await fetch(this.#url, { method: 'POST', headers, body, signal });
      const text = await answer.text();
      if (answer.status !== 200) return { status: answer.status, json: null };
      const expected = signatureOf(this.#secret, headers[RANDOM] ?? '', text);
      const isSigned = isSameSecret(answer.headers.get(SIGNATURE) ?? '', expected);
      return isSigned ? { status: 200, json: JSON.parse(text) } : { status: 0, json: null };
    } catch {
      return { status: 0, json: null };
    }
  }
}

function signatureOf(secret: string, random: string, body: string): string {
  return createHmac('sha256', secret).update(random).update(body).digest('hex');
}
