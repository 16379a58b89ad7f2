import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Faults } from '../faults.ts';
import { answerJson } from '../json-answer.ts';
import type { Cdn } from './cdn.ts';
import type { OAuthServer } from './oauth/oauth-server.ts';
import type { Refusal } from './refusal.ts';
import { REFUSALS } from './rest/discord-error.ts';
import type { InvalidRequests } from './rest/invalid-requests.ts';
import { answerError, type RestApi } from './rest/rest-api.ts';

export interface Behind {
  readonly rest: RestApi;
  readonly oauth: OAuthServer;
  readonly cdn: Cdn;
  readonly faults: Faults<Refusal>;
  readonly invalidRequests: InvalidRequests;
}

/** The two ways in which clients name the API: with its version, and for OAuth without. */
const API = /^\/api(?:\/v10)?(\/.*)$/;

/** What stands before Discord's servers: one address for the API, for signing in and for files. */
export class HttpFront {
  readonly #behind: Behind;

  constructor(behind: Behind) {
    this.#behind = behind;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://fake');
    try {
      const path = API.exec(url.pathname)?.[1];
      if (url.pathname.startsWith('/attachments/')) this.#serveFile(url, response);
      else if (url.pathname === '/oauth2/authorize') this.#behind.oauth.authorize(url.searchParams, response);
      else if (path !== undefined) await this.#serveApi(request, response, { path, query: url.searchParams });
      else throw REFUSALS.notFound();
    } catch (error) {
      answerError(response, error);
    }
  }

  async #serveApi(
    request: IncomingMessage,
    response: ServerResponse,
    { path, query }: { readonly path: string; readonly query: URLSearchParams },
  ): Promise<void> {
    const { invalidRequests, rest, oauth } = this.#behind;
    if (invalidRequests.isBanned) return invalidRequests.answerBanned(response);
    response.on('finish', () => {
      const isShared = response.getHeader('X-RateLimit-Scope') === 'shared';
      if (!isShared) invalidRequests.count(response.statusCode);
    });
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (bearer !== undefined) return answerJson(response, 200, oauth.answerBearer(bearer, path));
    if (path === '/oauth2/token' || path === '/oauth2/token/revoke')
      return await this.#serveClient(request, response, path === '/oauth2/token/revoke');
    if (!request.url?.startsWith('/api/v10/')) throw REFUSALS.apiVersion();
    await rest.serve(request, response, path, query);
  }

  async #serveClient(
    request: IncomingMessage,
    response: ServerResponse,
    isRevocation: boolean,
  ): Promise<void> {
    const fault = this.#behind.faults.take(isRevocation ? 'revokeToken' : 'exchangeToken');
    if (fault) return fault.apply(response);
    await this.#behind.oauth.answerClient(request, response, isRevocation);
  }

  #serveFile(url: URL, response: ServerResponse): void {
    const fault = this.#behind.faults.take('file');
    if (fault) return fault.apply(response);
    const file = this.#behind.cdn.at(url);
    if (!file) {
      response.writeHead(404, { 'Content-Type': 'text/plain' });
      response.end('This content is no longer available.');
      return;
    }
    response.writeHead(200, { 'Content-Type': file.mime, 'Content-Length': file.bytes.length });
    response.end(file.bytes);
  }
}
