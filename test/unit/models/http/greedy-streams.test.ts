import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { ReadingTime } from '../../../../src/base/reading-time.ts';
import { custom } from '../../../../src/models/custom/custom.ts';
import { ModelHttp } from '../../../../src/models/http/model-http.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { turnOf } from '../turn-parts.ts';

const STREAMS = 50;
/** What a word takes of the thread, by the clock. */
const WORD_MS = 0.25;
/** What is read of a stream at a time takes so long. */
const PIECE_MS = 9;
const WORD = `data: ${JSON.stringify({ choices: [{ delta: { content: 'word ' } }] })}\n\n`;
const WORDS = WORD.repeat(1_000);
const END = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

let server: Server;

/** Writes words as fast as they are read. */
function pour(response: ServerResponse): void {
  while (!response.destroyed && response.write(WORDS));
  if (!response.destroyed) response.once('drain', () => pour(response));
}

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (request.url?.startsWith('/greedy')) pour(response);
    else response.end(WORD.repeat(20) + END);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Accounts whose models write words, each of which takes some time by the clock. */
class Accounts {
  readonly clock = new ManualClock();
  readonly #http = new ModelHttp({
    findAddresses: async () => ['127.0.0.1'],
    isOpen: () => true,
    clock: this.clock,
    readingTime: new ReadingTime(this.clock, { busy: 0.7 }),
  });
  readonly #end = new AbortController();
  greedyWords = 0;

  async turn(account: 'greedy' | 'quiet'): Promise<string> {
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${account}/chat/completions`;
    const deps = { http: this.#http.of(account), clock: this.clock, urls: {} };
    const client = custom.connect({ config: { endpoint, model: 'model-1' }, secrets: {} }, deps);
    const turn = turnOf('Hi', { signal: this.#end.signal });
    const text = (): void => {
      if (account === 'greedy') this.greedyWords += 1;
      this.clock.leap(WORD_MS);
    };
    return (await client.turn(turn, { memoryChanged() {}, text })).text;
  }

  close(): void {
    this.#end.abort('enough');
    this.#http.close();
  }
}

it('fifty streams of one account leave the thread to another', async () => {
  const accounts = new Accounts();
  onTestFinished(() => accounts.close());
  const streams = Array.from({ length: STREAMS }, () => accounts.turn('greedy').catch(String));
  await waitFor('the first words', () => accounts.greedyWords > 0);
  // The allowance, and a piece beyond it.
  for (let n = 0; n < 100; n++) await new Promise(setImmediate);
  expect(accounts.greedyWords * WORD_MS).toBeLessThan(25 + 2 * PIECE_MS);
  const beginMs = accounts.clock.monotonicMs();
  expect(await accounts.turn('quiet')).toBe('word '.repeat(20));
  expect(accounts.clock.monotonicMs() - beginMs).toBe(20 * WORD_MS);
  const sofar = accounts.greedyWords;
  const untilMs = accounts.clock.monotonicMs() + 1_000;
  while (accounts.clock.monotonicMs() < untilMs) {
    accounts.clock.advance(2);
    await new Promise(setImmediate);
  }
  const readMs = (accounts.greedyWords - sofar) * WORD_MS;
  expect(readMs).toBeGreaterThan(50);
  expect(readMs).toBeLessThan(150);
  accounts.close();
  await Promise.all(streams);
});
