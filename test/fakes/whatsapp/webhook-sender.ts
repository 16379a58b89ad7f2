import { createHmac } from 'node:crypto';

/** Posts to the app's webhook as Meta does: escaped, signed, and again until it is answered 200. */
export class WebhookSender {
  readonly #appSecret: string;
  readonly #verifyToken: string;
  #url: string | null = null;
  #unanswered: string[] = [];

  constructor(appSecret: string, verifyToken: string) {
    this.#appSecret = appSecret;
    this.#verifyToken = verifyToken;
  }

  get isSubscribed(): boolean {
    return this.#url !== null;
  }

  /** Payloads that the app has not acknowledged. */
  get unanswered(): number {
    return this.#unanswered.length;
  }

  /** Posts there from now on, if it repeats the challenge. */
  async subscribe(url: string): Promise<void> {
    const challenge = `${Math.floor(Math.random() * 1e9)}`;
    const query = new URLSearchParams({
      'hub.mode': 'subscribe',
      'hub.verify_token': this.#verifyToken,
      'hub.challenge': challenge,
    });
    const answer = await fetch(`${url}?${query}`);
    const text = await answer.text();
    if (answer.status !== 200 || text !== challenge) {
      throw new Error(`the callback URL could not be validated: ${answer.status} ${text}`);
    }
    this.#url = url;
  }

  /** Returns the status that the app answered; 0: none. */
  async post(payload: object): Promise<number> {
    const body = escaped(JSON.stringify(payload));
    const status = await this.#post(body);
    if (status !== 200) this.#unanswered.push(body);
    return status;
  }

  /** Tries once more, in their order, what was not acknowledged. */
  async redeliver(): Promise<void> {
    const bodies = this.#unanswered;
    this.#unanswered = [];
    for (const body of bodies) if ((await this.#post(body)) !== 200) this.#unanswered.push(body);
  }

  /** The header over these very bytes. */
  signatureOf(body: string): string {
    return `sha256=${createHmac('sha256', this.#appSecret).update(body).digest('hex')}`;
  }

  async #post(body: string): Promise<number> {
    if (this.#url === null) return 0;
    try {
      const headers = { 'content-type': 'application/json', 'x-hub-signature-256': this.signatureOf(body) };
      const answer = await fetch(this.#url, { method: 'POST', headers, body });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return 0;
    }
  }
}

/** Meta writes everything but ASCII as `\uXXXX`, and slashes as `\/`. */
function escaped(json: string): string {
  return json
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(/\//g, '\\/');
}
