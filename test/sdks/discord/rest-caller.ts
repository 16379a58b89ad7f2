import type { FakeBot } from '../../fakes/discord/fake-bot.ts';
import type { FakeDiscord } from '../../fakes/discord/fake-discord.ts';
import type { AnyJson } from '../../support/any-json.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AnyJson;
}

/** Asks the fake as a bot, with whatever headers and body. */
export class RestCaller {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(discord: FakeDiscord, bot: FakeBot, headers: Readonly<Record<string, string>> = {}) {
    this.#url = `${discord.url}/api/v10`;
    this.#headers = {
      'User-Agent': 'DiscordBot (https://example.com, 1.0)',
      Authorization: `Bot ${bot.token}`,
      ...headers,
    };
  }

  async get(path: string): Promise<Answer> {
    return await this.#ask('GET', path);
  }

  async post(path: string, body: unknown): Promise<Answer> {
    return await this.#ask('POST', path, JSON.stringify(body));
  }

  /** `payload` with files `files[0]`, `files[1]` … */
  async upload(path: string, payload: unknown, files: readonly Buffer[]): Promise<Answer> {
    const form = new FormData();
    form.set('payload_json', JSON.stringify(payload));
    for (const [n, bytes] of files.entries())
      form.set(`files[${n}]`, new Blob([new Uint8Array(bytes)]), `${n}.bin`);
    return await this.#ask('POST', path, form);
  }

  async #ask(method: string, path: string, body?: string | FormData): Promise<Answer> {
    const type: Record<string, string> =
      typeof body === 'string' ? { 'Content-Type': 'application/json' } : {};
    const request = {
      method,
      headers: { ...this.#headers, ...type },
      ...(body === undefined ? {} : { body }),
    };
    const answer = await fetch(this.#url + path, request);
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
  }
}
