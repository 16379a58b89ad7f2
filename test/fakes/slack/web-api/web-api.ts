import type { Announcements } from '../events/announcements.ts';
import type { FakeApp, Installation } from '../world/fake-app.ts';
import { Arguments } from './arguments.ts';
import { CHAT_METHODS } from './chat-methods.ts';
import { DIRECTORY_METHODS } from './directory-methods.ts';
import { FILE_METHODS } from './file-methods.ts';
import type { BotMethod } from './method.ts';
import type { RawCall } from './read-arguments.ts';
import { invalidArguments, SlackError } from './slack-error.ts';
import type { UploadSlots } from './upload-slots.ts';

const BOT_METHODS: Readonly<Record<string, BotMethod>> = {
  ...CHAT_METHODS,
  ...DIRECTORY_METHODS,
  ...FILE_METHODS,
};

const APP_METHOD = 'apps.connections.open';

/** The Web API (https://docs.slack.dev/apis/web-api/). */
export class WebApi {
  readonly #apps: () => Iterable<FakeApp>;
  readonly #announcements: Announcements;
  readonly #uploads: UploadSlots;

  constructor(apps: () => Iterable<FakeApp>, announcements: Announcements, uploads: UploadSlots) {
    this.#apps = apps;
    this.#announcements = announcements;
    this.#uploads = uploads;
  }

  /** Returns the answer without `ok`. Throws a SlackError. */
  run(name: string, call: RawCall): Readonly<Record<string, unknown>> {
    if (name === APP_METHOD) return this.#openSocket(call);
    const method = BOT_METHODS[name];
    if (method === undefined) throw new SlackError('unknown_method', { req_method: name });
    const installation = this.#installationOf(call.token);
    const { scopes } = installation;
    if (method.scopes.length > 0 && !method.scopes.some((scope) => scopes.has(scope)))
      throw new SlackError('missing_scope', {
        needed: method.scopes.join(','),
        provided: [...scopes].join(','),
      });
    // Where JSON is not taken, Slack sees no arguments at all.
    const readable = call.isJson && !method.takesJson ? { ...call, values: new Map() } : call;
    const args = new Arguments(readable, method.arguments);
    return method.run({ installation, args, announcements: this.#announcements, uploads: this.#uploads });
  }

  /** The only method for an app's token. */
  #openSocket({ token, values }: RawCall): Readonly<Record<string, unknown>> {
    if (token === '') throw new SlackError('not_authed');
    for (const name of values.keys()) throw invalidArguments(`unexpected argument: ${name}`);
    for (const { appToken, installations, delivery } of this.#apps()) {
      if (installations.some((each) => each.token === token)) throw new SlackError('not_allowed_token_type');
      if (appToken !== token) continue;
      if (delivery.sockets === null) throw new SlackError('socket_mode_disabled');
      return { url: delivery.sockets.newUrl(this.#uploads.root) };
    }
    throw new SlackError('invalid_auth');
  }

  #installationOf(token: string): Installation {
    if (token === '') throw new SlackError('not_authed');
    for (const { appToken, installations } of this.#apps()) {
      if (token === appToken) throw new SlackError('not_allowed_token_type');
      const found = installations.find((each) => each.token === token || each.formerTokens.has(token));
      const refusal = found?.refusalOf(token) ?? null;
      if (refusal !== null) throw new SlackError(refusal);
      if (found) return found;
    }
    throw new SlackError('invalid_auth');
  }
}
