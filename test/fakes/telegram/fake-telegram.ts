import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Faults } from '../faults.ts';
import { answerJson } from '../json-answer.ts';
import { ApiError, badRequest } from './api-error.ts';
import { BotApiSchema } from './bot-api-schema.ts';
import { METHODS } from './bot-methods.ts';
import { answerControl } from './control-routes.ts';
import { FakeBot, newToken } from './fake-bot.ts';
import { type ReadCall, readBody, readCall } from './read-call.ts';
import { answerRefusal, type Fault, refuse } from './refusal.ts';

export interface FakeTelegramOptions {
  /** 0: any free one. */
  readonly port?: number;
  /** Takes webhooks over plain http, as a Bot API server of one's own does. */
  readonly takesHttpWebhooks?: boolean;
  readonly webhookRetryMs?: number;
}

/** A call as it was received, whatever its result. */
export interface SeenCall {
  readonly method: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

const MAX_SEEN_CALLS = 10_000;
const WEBHOOK_RETRY_MS = 200;

/** Reading the types takes a second; they are the same for all fakes of a process. */
let schema: BotApiSchema | null = null;

/**
 * Telegram's Bot API on loopback, as strict as the real one or stricter: every call is held against the API's own
 * description, and so is every answer.
 */
export class FakeTelegram {
  /** Violations of the description, also by the fake itself: tests expect none. */
  readonly offences: string[] = [];
  readonly calls: SeenCall[] = [];
  readonly #faults = new Faults(answerRefusal);
  readonly #server: Server;
  readonly #bots = new Map<string, FakeBot>();
  readonly #options: FakeTelegramOptions;

  private constructor(server: Server, options: FakeTelegramOptions) {
    this.#server = server;
    this.#options = options;
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  static async start(options: FakeTelegramOptions = {}): Promise<FakeTelegram> {
    schema ??= new BotApiSchema();
    const server = createServer().listen(options.port ?? 0, '127.0.0.1');
    await once(server, 'listening');
    return new FakeTelegram(server, options);
  }

  /** For SVC_TELEGRAM_API_URL. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get bots(): readonly FakeBot[] {
    return [...this.#bots.values()];
  }

  addBot(username = `fake_${this.#bots.size + 1}_bot`): FakeBot {
    const webhookRetryMs = this.#options.webhookRetryMs ?? WEBHOOK_RETRY_MS;
    const bot = new FakeBot({ token: newToken(), username, webhookRetryMs });
    this.#bots.set(bot.token, bot);
    return bot;
  }

  /** Revokes its token. */
  revoke(bot: FakeBot): void {
    this.#bots.delete(bot.token);
    bot.updates.interrupt(UNAUTHORIZED);
    bot.close();
  }

  /** Takes a revoked token again. */
  restore(bot: FakeBot): void {
    this.#bots.set(bot.token, bot);
  }

  /** What happens to the next calls of a method, one each. */
  fail(method: string, ...faults: readonly Fault[]): void {
    this.#faults.add(method.toLowerCase(), faults);
  }

  async stop(): Promise<void> {
    for (const bot of this.bots) bot.close();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = new URL(request.url ?? '/', 'http://fake');
      const [, kind = '', ...rest] = url.pathname.split('/').map(decodeURIComponent);
      if (kind === 'fake') answerJson(response, 200, await answerControl(this, request, rest));
      else if (kind === 'file') this.#serveFile(response, rest);
      else await this.#serveCall(request, response, kind, rest.join('/'));
    } catch (error) {
      answerError(response, error);
    }
  }

  #serveFile(response: ServerResponse, [owner = '', ...path]: readonly string[]): void {
    const bytes = this.#bots.get(owner.replace(/^bot/, ''))?.files.at(path.join('/'));
    if (!bytes) throw new ApiError(404, 'Not Found');
    const fault = this.#faults.take('file');
    if (fault) return fault.apply(response);
    response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': bytes.length });
    response.end(bytes);
  }

  async #serveCall(
    request: IncomingMessage,
    response: ServerResponse,
    owner: string,
    method: string,
  ): Promise<void> {
    const body = await readBody(request);
    const bot = this.#bots.get(/^bot(.+)$/.exec(owner)?.[1] ?? '');
    if (!bot) throw owner.includes(':') ? UNAUTHORIZED : new ApiError(404, 'Not Found');
    const call = this.#checked(request, method, body);
    const early = this.#faults.take(method.toLowerCase());
    if (early && !early.isAfterwards) return early.apply(response);
    const result = await this.#result(bot, method, call, response);
    const fault = schema!.faultOfResult(method, result);
    if (fault !== null) this.offences.push(`the fake: ${fault}`);
    if (early) early.apply(response);
    else answerJson(response, 200, { ok: true, result });
  }

  #checked(request: IncomingMessage, method: string, body: Buffer): ReadCall {
    try {
      if (!schema!.has(method)) throw new ApiError(404, 'Not Found: method not found');
      const call = readCall(request, body, (name, text) => schema!.valueOfField(method, name, text));
      this.calls.push({ method, parameters: call.parameters });
      if (this.calls.length > MAX_SEEN_CALLS) this.calls.shift();
      const fault = schema!.faultOfCall(method, call.parameters);
      if (fault !== null) throw badRequest(fault);
      return call;
    } catch (error) {
      this.offences.push(`${method}: ${(error as Error).message}`);
      throw error;
    }
  }

  async #result(bot: FakeBot, method: string, call: ReadCall, response: ServerResponse): Promise<unknown> {
    const run = METHODS[method.toLowerCase() as keyof typeof METHODS];
    if (!run) {
      this.offences.push(`the fake does not know how to ${method}`);
      throw new ApiError(501, 'Not Implemented: the fake does not do this');
    }
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const { parameters, uploads } = call;
    const takesHttpWebhooks = this.#options.takesHttpWebhooks ?? false;
    return await run({ bot, parameters, uploads, gone: gone.signal, takesHttpWebhooks });
  }
}

const UNAUTHORIZED = new ApiError(401, 'Unauthorized');

function answerError(response: ServerResponse, error: unknown): void {
  const { status, message, retryAfterS, migrateTo } =
    error instanceof ApiError ? error : new ApiError(500, `Internal Server Error: ${error}`);
  refuse(response, status, message, retryAfterS, migrateTo);
}
