import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerJson } from '../../json-answer.ts';
import type { FakeBot } from '../fake-bot.ts';
import { REFUSALS } from '../rest/discord-error.ts';
import { readBytes } from '../rest/request-body.ts';
import { isoTime } from '../world/message.ts';
import { type FakeUser, wireUser } from '../world/user.ts';
import type { World } from '../world/world.ts';
import { Grants, wireGrant } from './grants.ts';

/** Scopes that people can grant at the fake, beside `bot`. */
const SCOPES = ['identify', 'email', 'guilds'];
const DENIED = 'The resource owner or authorization server denied the request';

/** Discord's authorization server (https://docs.discord.com/developers/topics/oauth2). */
export class OAuthServer {
  readonly grants: Grants;
  /** Who opens the pages of consent; null: somebody who is not signed in. */
  visitor: FakeUser | null = null;
  /** Whether the visitor says no. */
  isDenied = false;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    this.grants = new Grants(world.nowMs);
  }

  /** `GET /oauth2/authorize`: the visitor agrees or not, and is sent back. */
  authorize(query: URLSearchParams, response: ServerResponse): void {
    const bot = this.#botOf(query.get('client_id'));
    const redirectUri = query.get('redirect_uri') ?? '';
    if (!bot) throw REFUSALS.unknownApplication();
    if (!bot.redirectUris.has(redirectUri)) throw REFUSALS.redirectUri();
    if (!this.visitor) throw REFUSALS.unauthorized();
    const back = new URL(redirectUri);
    const outcome = this.#outcome(bot, this.visitor, query);
    for (const [name, value] of Object.entries(outcome)) back.searchParams.set(name, value);
    const state = query.get('state');
    if (state !== null) back.searchParams.set('state', state);
    response.writeHead(302, { Location: back.href });
    response.end();
  }

  /** `POST /oauth2/token` and `/oauth2/token/revoke`. */
  async answerClient(
    request: IncomingMessage,
    response: ServerResponse,
    isRevocation: boolean,
  ): Promise<void> {
    const bytes = await readBytes(request);
    if (request.method !== 'POST') throw REFUSALS.wrongMethod();
    const type = request.headers['content-type'] ?? '';
    if (!type.startsWith('application/x-www-form-urlencoded'))
      return refuse(response, 400, 'invalid_request');
    const form = new URLSearchParams(bytes.toString('utf8'));
    const bot = this.#clientOf(request, form);
    if (!bot) return refuse(response, 401, 'invalid_client');
    if (!isRevocation) return this.#exchange(bot, form, response);
    this.grants.revoke(bot, form.get('token') ?? '');
    answerJson(response, 200, {});
  }

  /** What somebody's access token is good for. */
  answerBearer(token: string, path: string): object {
    const grant = this.grants.holderOf(token);
    if (!grant) throw REFUSALS.unauthorized();
    const user = { ...wireUser(grant.user), flags: 0, mfa_enabled: false, locale: 'en-US' };
    if (path === '/users/@me' && grant.scopes.includes('identify')) return user;
    if (path !== '/oauth2/@me') throw REFUSALS.unauthorized();
    const { applicationId: id, user: self } = grant.bot;
    return {
      application: { id, name: self.username, icon: null, description: '' },
      scopes: grant.scopes,
      expires: isoTime(grant.expiresAtMs),
      ...(grant.scopes.includes('identify') ? { user } : {}),
    };
  }

  #outcome(bot: FakeBot, user: FakeUser, query: URLSearchParams): Record<string, string> {
    const scopes = (query.get('scope') ?? '').split(' ').filter(Boolean);
    if (query.get('response_type') !== 'code') return { error: 'unsupported_response_type' };
    if (scopes.length === 0 || scopes.some((scope) => !SCOPES.includes(scope)))
      return {
        error: 'invalid_scope',
        error_description: 'The requested scope is invalid, unknown, or malformed.',
      };
    if (this.isDenied) return { error: 'access_denied', error_description: DENIED };
    const challenge = query.get('code_challenge');
    if (challenge !== null && query.get('code_challenge_method') !== 'S256')
      return { error: 'invalid_request' };
    const redirectUri = query.get('redirect_uri') ?? '';
    return { code: this.grants.newCode({ bot, user, scopes, redirectUri, challenge }) };
  }

  #exchange(bot: FakeBot, form: URLSearchParams, response: ServerResponse): void {
    switch (form.get('grant_type')) {
      case 'authorization_code': {
        const redirectUri = form.get('redirect_uri') ?? '';
        const grant = this.grants.redeem(bot, form.get('code') ?? '', redirectUri, form.get('code_verifier'));
        if (grant) return answerJson(response, 200, wireGrant(grant));
        return refuse(response, 400, 'invalid_grant', 'Invalid "code" in request.');
      }
      case 'refresh_token': {
        const grant = this.grants.refresh(bot, form.get('refresh_token') ?? '');
        if (grant) return answerJson(response, 200, wireGrant(grant));
        return refuse(response, 400, 'invalid_grant', 'Invalid "refresh_token" in request.');
      }
      default:
        return refuse(response, 400, 'unsupported_grant_type');
    }
  }

  /** By HTTP Basic, or by fields of the form. */
  #clientOf({ headers }: IncomingMessage, form: URLSearchParams): FakeBot | null {
    const basic = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1];
    const [id, secret] =
      basic === undefined
        ? [form.get('client_id'), form.get('client_secret')]
        : Buffer.from(basic, 'base64').toString('utf8').split(':').map(decodeURIComponent);
    const bot = this.#botOf(id);
    return bot?.clientSecret === secret ? bot : null;
  }

  #botOf(applicationId: string | null | undefined): FakeBot | null {
    return [...this.#world.bots.values()].find((bot) => bot.applicationId === applicationId) ?? null;
  }
}

function refuse(response: ServerResponse, status: number, error: string, description?: string): void {
  answerJson(response, status, {
    error,
    ...(description === undefined ? {} : { error_description: description }),
  });
}
