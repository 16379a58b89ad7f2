import type { Announcements } from '../events/announcements.ts';
import type { FakeApp, Installation } from '../world/fake-app.ts';
import { Arguments } from './arguments.ts';
import { CHAT_METHODS } from './chat-methods.ts';
import { DIRECTORY_METHODS } from './directory-methods.ts';
import { FILE_METHODS } from './file-methods.ts';
import type { BotMethod } from './method.ts';
import type { RawCall } from './read-arguments.ts';
import { SlackError } from './slack-error.ts';
import type { UploadSlots } from './upload-slots.ts';

const BOT_METHODS: Readonly<Record<string, BotMethod>> = {
  ...CHAT_METHODS,
  ...DIRECTORY_METHODS,
  ...FILE_METHODS,
};

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

  #installationOf(token: string): Installation {
    if (token === '') throw new SlackError('not_authed');
    for (const { appToken, installations } of this.#apps()) {
      if (token === appToken) throw new SlackError('not_allowed_token_type');
      const found = installations.find((each) => each.token === token);
      if (found?.deadAs) throw new SlackError(found.deadAs);
      if (found) return found;
    }
    throw new SlackError('invalid_auth');
  }
}
