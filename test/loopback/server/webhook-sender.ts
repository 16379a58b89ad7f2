import { createHmac, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { isSameSecret } from '../../../src/base/ids.ts';
import type { SpaceEvent } from './space.ts';
import { VendorError } from './vendor-error.ts';

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

/** No answer, or one that is not signed. */
const NO_ANSWER: { readonly status: number; readonly json: unknown } = { status: 0, json: null };

type AnswerMessage = z.output<typeof EventAnswer>;

/** An answer as the app gave it. */
export interface WebhookAnswer {
  readonly status: number;
  readonly text: string | null;
}

/** Where a bot's app wants its events. */
interface Subscription {
  readonly url: string;
  readonly secret: string;
}

/**
 * Posts the events of a bot to its app: signed over a random text and the body, those of a space one after the other, and
 * again until they are answered with 200. The app has to sign each answer over the same random text.
 */
export class WebhookSender {
  readonly answers: WebhookAnswer[] = [];
  /** By space: the events on their way. */
  readonly #posting = new Map<string, Promise<void>>();
  readonly #pending = new Map<string, number>();
  #subscription: Subscription | null = null;
  #isClosed = false;

  /** Rejects with VendorError unless the app repeats a challenge. */
  async subscribe(url: string, secret: string): Promise<void> {
    const subscription = { url, secret };
    const challenge = randomBytes(12).toString('hex');
    const { status, json } = await post({ type: 'verify', challenge }, subscription);
    const read = Challenge.safeParse(json);
    if (status !== 200 || !read.success || read.data.challenge !== challenge)
      throw new VendorError(400, 'not_verified', `The webhook did not repeat the challenge (${status})`);
    this.#subscription = subscription;
  }

  /** Events of a space that the app has not taken yet. */
  pendingIn(spaceId: string): number {
    return this.#pending.get(spaceId) ?? 0;
  }

  /** `onMessage`: receives the message that the app answers with. */
  send(event: SpaceEvent, onMessage: (answer: AnswerMessage) => void): void {
    const { id } = event.message.space;
    this.#pending.set(id, this.pendingIn(id) + 1);
    const sending = async (): Promise<void> => {
      const answer = await this.#sendUntilTaken(event);
      this.#pending.set(id, this.pendingIn(id) - 1);
      if (answer !== null) onMessage(answer);
    };
    this.#posting.set(id, (this.#posting.get(id) ?? Promise.resolve()).then(sending));
  }

  close(): void {
    this.#isClosed = true;
  }

  /** The headers of a request with this body. */
  headersOf(body: string): Record<string, string> {
    return headersOf(body, this.#subscription?.secret ?? '');
  }

  async #sendUntilTaken(event: object): Promise<AnswerMessage | null> {
    while (!this.#isClosed) {
      const subscription = this.#subscription;
      const { status, json } = subscription ? await post(event, subscription) : NO_ANSWER;
      const read = EventAnswer.safeParse(json);
      const answer = read.success && read.data.text !== '' ? read.data : null;
      if (subscription) this.answers.push({ status, text: answer?.text ?? null });
      if (status === 200 && read.success) return answer;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
    }
    return null;
  }
}

function headersOf(body: string, secret: string): Record<string, string> {
  const random = randomBytes(16).toString('hex');
  const signature = signatureOf(secret, random, body);
  return { 'content-type': 'application/json', [RANDOM]: random, [SIGNATURE]: signature };
}

async function post(event: object, { url, secret }: Subscription): Promise<typeof NO_ANSWER> {
  const body = JSON.stringify(event);
  const headers = headersOf(body, secret);
  try {
    const signal = AbortSignal.timeout(ANSWER_DEADLINE_MS);
    const answer = await fetch(url, { method: 'POST', headers, body, signal });
    const text = await answer.text();
    if (answer.status !== 200) return { status: answer.status, json: null };
    const expected = signatureOf(secret, headers[RANDOM] ?? '', text);
    const isSigned = isSameSecret(answer.headers.get(SIGNATURE) ?? '', expected);
    return isSigned ? { status: 200, json: JSON.parse(text) } : NO_ANSWER;
  } catch {
    return NO_ANSWER;
  }
}

function signatureOf(secret: string, random: string, body: string): string {
  return createHmac('sha256', secret).update(random).update(body).digest('hex');
}
