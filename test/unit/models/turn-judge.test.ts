import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/time.ts';
import { TurnJudge } from '../../../src/models/chat/turn-judge.ts';
import { accountHttp, loopbackHttp } from './turn-parts.ts';

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A model that answers this. Undefined: nothing. */
async function judgeWith(
  answer: (body: string, request: IncomingMessage, response: ServerResponse) => unknown,
) {
  const asked: { readonly body: string; readonly authorization: string | undefined }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    asked.push({ body, authorization: request.headers.authorization });
    const said = answer(body, request, response);
    if (said !== undefined) response.setHeader('content-type', 'application/json').end(JSON.stringify(said));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const http = loopbackHttp();
  closers.push(() => {
    http.close();
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { asked, url, judge: new TurnJudge({ http, clock: systemClock, url, model: 'm', key: 'secret' }) };
}

const said = (content: string, logprob?: number) => ({
  choices: [
    {
      message: { role: 'assistant', content },
      logprobs: logprob === undefined ? null : { content: [{ token: content, logprob }] },
    },
  ],
});

it('asks an API like that of OpenAI, and takes the probability of its word', async () => {
  const answers = [said('Yes', Math.log(0.7)), said('no', Math.log(0.9)), said(' yes.'), said('NO')];
  const { asked, judge } = await judgeWith((_body, request) =>
    request.url === '/v1/chat/completions' ? answers.shift() : undefined,
  );
  const shares: (number | null)[] = [];
  for (let i = 0; i < 4; i++) shares.push(await judge.ask('acc_1', 'and then I'));
  expect(shares.map((share) => Math.round(share! * 100))).toEqual([70, 10, 80, 20]);
  const { messages, ...rest } = JSON.parse(asked[0]!.body);
  expect(rest).toEqual({ model: 'm', max_tokens: 1, temperature: 0, logprobs: true });
  expect(messages.at(-1)).toEqual({ role: 'user', content: 'and then I' });
  expect(asked[0]!.authorization).toBe('Bearer secret');
});

it.each<[string, (body: string, request: IncomingMessage, response: ServerResponse) => unknown]>([
  ['another word', () => said('maybe')],
  ['no JSON', (_body, _request, response) => void response.end('yes')],
  ['another shape', () => ({ choices: [] })],
  [
    'a fault',
    (_body, _request, response) => {
      response.statusCode = 500;
      return said('yes');
    },
  ],
  [
    'a redirect',
    (_body, _request, response) => {
      response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    },
  ],
  ['nothing', () => undefined],
  ['an end', (_body, request) => void request.socket.destroy()],
])('%s decides nothing, within 0.6 s', async (_what, answer) => {
  const { judge } = await judgeWith(answer);
  const startedMs = performance.now();
  expect(await judge.ask('acc_1', 'yes')).toBeNull();
  expect(performance.now() - startedMs).toBeLessThan(2_000);
});

it('goes to no address of this machine that is not allowed, and asks for 32 at a time, of which one account has half', async () => {
  const { url, judge, asked } = await judgeWith(() => undefined);
  const http = accountHttp({ findAddresses: async () => ['127.0.0.1'], isOpen: () => false });
  closers.push(() => http.close());
  const guarded = new TurnJudge({ http, clock: systemClock, url, model: 'm', key: null });
  expect(await guarded.ask('acc_1', 'yes')).toBeNull();
  expect(asked).toEqual([]);
  const waiting = Array.from({ length: 20 }, () => judge.ask('acc_1', 'yes'));
  expect(judge.places).toMatchObject({ taken: 16, refused: 4 });
  waiting.push(...Array.from({ length: 20 }, (_, n) => judge.ask(`acc_${n + 2}`, 'yes')));
  expect(judge.places).toMatchObject({ taken: 32, refused: 8 });
  judge.close();
  expect(await Promise.all(waiting)).toEqual(new Array(40).fill(null));
});
