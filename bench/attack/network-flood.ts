import { Agent, request } from 'node:http';
import { PROXY_HOST, type Target } from './attack.ts';

const NETWORKS = 250;
const PER_SECOND = 500;
const STEP_MS = 20;
const SOCKETS = 128;

/** A request that a stranger makes. */
export interface Knock {
  readonly path: string;
  /** Sent as JSON, a text as it is; absent: it is a GET. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Strangers in 250 networks who send 500 requests a second in all, through the proxy that the operator trusts. */
export class NetworkFlood {
  /** Answers by status; 0: none came. */
  readonly answers = new Map<number, number>();
  /** Refusals that do not say when to come again. */
  timeless = 0;
  readonly #port: number;
  readonly #knock: (n: number) => Knock;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: SOCKETS });
  readonly #timer: NodeJS.Timeout;
  readonly #beganMs = performance.now();
  #sent = 0;

  constructor({ httpPort }: Target, knock: (n: number) => Knock) {
    this.#port = httpPort;
    this.#knock = knock;
    this.#timer = setInterval(() => this.#step(), STEP_MS);
  }

  get sent(): number {
    return this.#sent;
  }

  /** Takes the connections back, too. */
  stop(): void {
    clearInterval(this.#timer);
    this.#agent.destroy();
  }

  #step(): void {
    const due = ((performance.now() - this.#beganMs) / 1_000) * PER_SECOND;
    while (this.#sent < due) this.#send(this.#sent++);
  }

  #send(n: number): void {
    const { path, body, headers: own } = this.#knock(n);
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = {
      ...(text !== undefined && {
        'Content-Type': 'application/json',
        'Content-Length': `${Buffer.byteLength(text)}`,
      }),
      ...own,
      'Sec-Fetch-Site': 'same-origin',
      'X-Forwarded-For': `198.18.${n % NETWORKS}.${1 + (n % 200)}`,
    };
    const to = { host: '127.0.0.1', port: this.#port, localAddress: PROXY_HOST, path };
    const method = text === undefined ? 'GET' : 'POST';
    const asked = request({ ...to, method, headers, agent: this.#agent }, (answer) => {
      this.#count(answer.statusCode ?? 0);
      if (answer.statusCode === 429 && answer.headers['retry-after'] === undefined) this.timeless++;
      answer.resume();
    });
    asked.once('error', () => this.#count(0));
    asked.end(text);
  }

  #count(status: number): void {
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
  }
}
