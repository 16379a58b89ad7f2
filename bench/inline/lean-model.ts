import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nowUs } from '../clock.ts';
import { LeanReply, type ReplyEvent } from './lean-reply.ts';

const HOST = '127.0.0.1';
const TOLD = /(Mark|Hold) (\d+)\./g;
/** In the line of context, which is JSON within JSON. */
const CALL = /here\W+call_id\W+(call_[\w-]+)/;
/** Is being spoken when the stream is ended. */
const HOLDING = 'Please hold the line while I look for it. ';

export interface ModelWatch {
  /** A turn arrived in which the model was told this mark; `callId` is empty in a conversation. */
  told(mark: number, atUs: number, callId: string): void;
  /** The stream of a turn that does not end was closed by the gateway. */
  closed(mark: number, atUs: number): void;
}

/**
 * As much of OpenAI's Responses API as the bench needs (test/fakes/openai is complete and strict, and costs more than what
 * is measured). It repeats the last mark at once; told to hold, it says that, and writes on until it is let go.
 */
export class LeanModel {
  readonly #watch: ModelWatch;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  /** The ends of replies that are held. */
  readonly #held = new Map<ServerResponse, () => void>();
  #ids = 0;

  private constructor(watch: ModelWatch) {
    this.#watch = watch;
  }

  static async start(watch: ModelWatch): Promise<LeanModel> {
    const model = new LeanModel(watch);
    await new Promise<void>((resolve) => model.#server.listen(0, HOST, resolve));
    return model;
  }

  get url(): string {
    return `http://${HOST}:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Number of replies that are held. */
  get held(): number {
    return this.#held.size;
  }

  /** Ends the replies that are held. */
  letGo(): void {
    for (const end of this.#held.values()) end();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.url !== '/v1/responses') return this.#json(response, { id: `conv_${++this.#ids}` });
    const atUs = nowUs();
    const body = Buffer.concat(chunks).toString();
    const [, kind, mark] = [...body.matchAll(TOLD)].at(-1) ?? [];
    const number = Number(mark);
    this.#watch.told(number, atUs, CALL.exec(body)?.[1] ?? '');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (kind === 'Hold') this.#hold(response, number);
    else this.#reply(response, `Mark ${number}.`);
  }

  #reply(response: ServerResponse, text: string): void {
    const reply = new LeanReply(`resp_${++this.#ids}`);
    response.end([...reply.begin(text), ...reply.end(text)].map(eventText).join(''));
  }

  #hold(response: ServerResponse, mark: number): void {
    const reply = new LeanReply(`resp_${++this.#ids}`);
    const text = `${HOLDING}And`;
    response.write(reply.begin(text).map(eventText).join(''));
    this.#held.set(response, () => response.end(reply.end(text).map(eventText).join('')));
    response.on('close', () => {
      this.#held.delete(response);
      this.#watch.closed(mark, nowUs());
    });
  }

  #json(response: ServerResponse, body: object): void {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  }
}

function eventText(event: ReplyEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
