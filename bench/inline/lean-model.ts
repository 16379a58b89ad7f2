import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nowUs } from '../speech/far-ends/clock.ts';

const HOST = '127.0.0.1';
const TOLD = /(Mark|Hold) (\d+)\./g;
/** Is being spoken when the stream is ended. */
export const HOLDING = 'Please hold the line while I look for it. ';

export interface ModelWatch {
  /** A turn arrived in which the model was told this mark. */
  told(mark: number, atUs: number): void;
  /** The stream of a turn that does not end was closed by the gateway. */
  closed(mark: number, atUs: number): void;
}

/**
 * As much of OpenAI's Responses API as the bench needs (test/fakes/openai is complete and strict, and costs more than what
 * is measured). It repeats the last mark at once; told to hold, it says that, and writes on without an end.
 */
export class LeanModel {
  readonly #watch: ModelWatch;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
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

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.url !== '/v1/responses') return this.#json(response, { id: `conv_${++this.#ids}` });
    const [, kind, mark] = [...Buffer.concat(chunks).toString().matchAll(TOLD)].at(-1) ?? [];
    const number = Number(mark);
    this.#watch.told(number, nowUs());
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (kind === 'Hold') this.#hold(response, number);
    else this.#reply(response, `Mark ${number}.`);
  }

  #reply(response: ServerResponse, text: string): void {
    const id = `resp_${++this.#ids}`;
    const item = { id: `msg_${id}`, type: 'message', role: 'assistant', phase: 'final_answer' };
    const whole = { ...item, status: 'completed', content: [{ type: 'output_text', text, annotations: [] }] };
    const usage = { input_tokens: 100, output_tokens: 5, total_tokens: 105 };
    const events = [
      { type: 'response.created', response: { id, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item },
      {
        type: 'response.output_text.delta',
        item_id: item.id,
        output_index: 0,
        content_index: 0,
        delta: text,
      },
      { type: 'response.output_item.done', output_index: 0, item: whole },
      { type: 'response.completed', response: { id, status: 'completed', output: [whole], usage } },
    ];
    response.end(events.map(eventText).join(''));
  }

  #hold(response: ServerResponse, mark: number): void {
    const id = `resp_${++this.#ids}`;
    const item = { id: `msg_${id}`, type: 'message', role: 'assistant', phase: 'final_answer' };
    const at = { item_id: item.id, output_index: 0, content_index: 0 };
    const events = [
      { type: 'response.created', response: { id, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_text.delta', ...at, delta: `${HOLDING}And` },
    ];
    response.write(events.map(eventText).join(''));
    response.on('close', () => this.#watch.closed(mark, nowUs()));
  }

  #json(response: ServerResponse, body: object): void {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  }
}

function eventText(event: { readonly type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
