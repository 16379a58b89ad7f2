import type * as z from 'zod';
import { platformJson } from '../../../base/platform-json.ts';
import type { Clock } from '../../../base/time.ts';
import type { AllowedHosts } from '../auth/allowed-hosts.ts';
import type { AppTokens, TokenUse } from '../auth/app-tokens.ts';
import { type CallOptions, type HttpRequest, httpRequest } from './http-request.ts';
import { failureIn, TeamsFailure } from './teams-failure.ts';

export interface TeamsApiDeps {
  readonly clock: Clock;
  readonly tokens: AppTokens;
  /** Hosts of the Bot Connector: only these get the bot's token. */
  readonly services: AllowedHosts;
  readonly botUse: TokenUse;
}

/** A call of the Bot Connector. */
export interface ConnectorCall {
  readonly method: HttpRequest['method'];
  readonly serviceUrl: string;
  /** Below the service URL, encoded: `v3/…`. */
  readonly path: string;
  readonly body?: object;
}

/**
 * Client of the Bot Connector (https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference)
 * and of Graph, with the tokens of the bot's application. Rejections are TeamsFailures.
 */
export class TeamsApi {
  readonly #deps: TeamsApiDeps;

  constructor(deps: TeamsApiDeps) {
    this.#deps = deps;
  }

  /** Calls the Bot Connector and returns its answer as parsed by `schema`. */
  async call<Schema extends z.ZodType>(
    { serviceUrl, path, method, body }: ConnectorCall,
    options: CallOptions,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    if (!this.#deps.services.allows(serviceUrl))
      throw new TeamsFailure('refused', 'The service URL is not one of Teams');
    const url = `${serviceUrl.endsWith('/') ? serviceUrl : `${serviceUrl}/`}${path}`;
    return await this.request(
      { method, url, use: this.#deps.botUse, ...(body ? { body } : {}) },
      options,
      schema,
    );
  }

  /** Makes a request with a token, and once more with another one if that is refused. */
  async request<Schema extends z.ZodType>(
    request: Pick<HttpRequest, 'method' | 'url'> & { readonly use: TokenUse; readonly body?: object },
    options: CallOptions,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const { clock, tokens } = this.#deps;
    const { method, url, use, body } = request;
    for (let attempt = 1; ; attempt++) {
      const token = await tokens.token(use);
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=utf-8' };
      const sent = { method, url, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
      const answer = await httpRequest(clock, sent, options);
      if (answer.status === 401) {
        await tokens.refused(use, token);
        if (attempt === 1) continue;
        const { message } = failureIn(401, null, answer.body);
        throw new TeamsFailure('refused', message, { status: 401, isLoggedOut: true });
      }
      if (answer.status >= 300) throw failureIn(answer.status, answer.retryAfter, answer.body);
      return read(schema, platformJson(answer.body) ?? {});
    }
  }

  /** The bot's token for a file of the service, whose address has been checked. */
  async fileToken(href: string): Promise<string | null> {
    const { services, tokens, botUse } = this.#deps;
    return services.allows(href) ? await tokens.token(botUse) : null;
  }
}

/** An unreadable result is `unclear`: the request may still have been carried out. */
function read<Schema extends z.ZodType>(schema: Schema, result: unknown): z.output<Schema> {
  const parsed = schema.safeParse(result);
  if (!parsed.success) throw new TeamsFailure('unclear', 'The answer of Teams cannot be read');
  return parsed.data;
}
