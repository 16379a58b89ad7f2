import { createHmac, randomBytes } from 'node:crypto';

/** What the addon has posted to the gateway. */
export interface GatewayPost {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly random: string;
  /** Of the answer; 0: there was none in time. */
  status: number;
  answer: unknown;
}

export interface PostOptions {
  readonly timeoutMs?: number;
  /** In place of a new one: the post is a replay. */
  readonly random?: string;
  /** In place of the right one: the post is a forgery. */
  readonly signature?: string;
}

const TIMEOUT_MS = 10_000;

/** The signed posts of the addon to its gateway. The signature covers nothing but the random. */
export class GatewayPosts {
  readonly sent: GatewayPost[] = [];
  /** The next posts never arrive. */
  losesNext = 0;
  readonly #target: () => { readonly backendUrl: string; readonly apiSecret: string };
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(target: () => { readonly backendUrl: string; readonly apiSecret: string }) {
    this.#target = target;
  }

  /** Posts, unless nothing was ever paired. Resolves with what was answered; never rejects. */
  async post(path: string, body: object, options: PostOptions = {}): Promise<GatewayPost | null> {
    const { backendUrl, apiSecret } = this.#target();
    if (backendUrl === '') return null;
    const { random = randomBytes(16).toString('hex'), timeoutMs = TIMEOUT_MS } = options;
    const post: GatewayPost = { path, body: { ...body }, random, status: 0, answer: null };
    this.sent.push(post);
    if (this.losesNext > 0) {
      this.losesNext -= 1;
      return post;
    }
    const sending = this.#send(`${backendUrl.replace(/\/$/, '')}${path}`, post, {
      signature: options.signature ?? signatureOf(random, apiSecret),
      timeoutMs,
    });
    this.#underWay.add(sending);
    await sending;
    this.#underWay.delete(sending);
    return post;
  }

  /** Resolves when no post is under way. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async #send(
    url: string,
    post: GatewayPost,
    { signature, timeoutMs }: { readonly signature: string; readonly timeoutMs: number },
  ): Promise<void> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'X-Maquisard-Random': post.random,
          'X-Maquisard-Signature': signature,
        },
        body: JSON.stringify(post.body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      post.answer = jsonIn(await response.text());
      post.status = response.status;
    } catch {
      // The addon writes it into its log, and goes on.
    }
  }
}

export function signatureOf(random: string, secret: string): string {
  return createHmac('sha256', secret).update(random).digest('hex');
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
