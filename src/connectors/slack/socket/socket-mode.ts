import type { ReadingTime } from '../../../base/reading-time.ts';
import type { PlatformFailure } from '../../kit/platform-failure.ts';
import { fixedToken, SlackApi } from '../client.ts';
import type { EventIntake } from '../events/webhook-receiver.ts';
import type { LoginWorld } from '../login/logins.ts';
import type { SocketPayload } from './socket-connection.ts';
import { SocketSession } from './socket-session.ts';

/** Deliveries handled at a time for an app. Slack repeats what is not acknowledged. */
const MAX_AT_ONCE = 200;
const FIRST_CONNECTION_MS = 10_000;

interface SocketWorld extends Pick<LoginWorld, 'urls' | 'clock' | 'logins' | 'observer'> {
  readonly readingTime: ReadingTime;
}

interface OpenApp {
  readonly session: SocketSession;
  readonly logins: Set<string>;
  words: string | null;
  handling: number;
}

/**
 * Socket Mode (https://docs.slack.dev/apis/events-api/using-socket-mode), for own bots of a gateway that Slack cannot
 * reach. Slack spreads an app's events over its connections, whatever their workspace, so all bots of an app share one.
 */
export class SocketMode {
  readonly #world: SocketWorld;
  readonly #intake: EventIntake;
  /** By the app's token. */
  readonly #apps = new Map<string, OpenApp>();

  constructor(world: SocketWorld, intake: EventIntake) {
    this.#world = world;
    this.#intake = intake;
  }

  /**
   * Delivers the events of a login from now on. They are read in the time of the account that came with the app first. Resolves when Slack has said hello, or after 10 s; with why Slack refuses
   * the token, null if it does not. Throws a PlatformFailure when the token is malformed.
   */
  async join(loginKey: string, appToken: string, accountId: string): Promise<PlatformFailure | null> {
    const app = this.#apps.get(appToken) ?? this.#open(appToken, accountId);
    app.logins.add(loginKey);
    this.#world.logins.get(loginKey)?.hears(app.words);
    const late = Promise.withResolvers<null>();
    const cancel = this.#world.clock.after(FIRST_CONNECTION_MS, () => late.resolve(null));
    const failure = await Promise.race([app.session.settled, late.promise]);
    cancel();
    return failure?.kind === 'refused' ? failure : null;
  }

  /** Safe to call for a login that has not joined. */
  async leave(loginKey: string): Promise<void> {
    for (const [token, { session, logins }] of this.#apps) {
      if (!logins.delete(loginKey) || logins.size > 0) continue;
      this.#apps.delete(token);
      await session.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#apps.values()].map(({ session }) => session.close()));
  }

  #open(appToken: string, accountId: string): OpenApp {
    const { urls, clock, readingTime } = this.#world;
    const app: OpenApp = {
      session: new SocketSession({
        api: new SlackApi(urls, fixedToken(appToken), clock),
        isEncrypted: new URL(urls.api).protocol === 'https:',
        clock,
        reader: readingTime.of(accountId),
        take: (payload) => this.#take(app, payload),
        state: (words) => this.#changed(app, words),
      }),
      logins: new Set(),
      words: null,
      handling: 0,
    };
    this.#apps.set(appToken, app);
    app.session.start();
    return app;
  }

  #changed(app: OpenApp, words: string | null): void {
    if (words !== null) this.#world.observer.count('socket_lost');
    app.words = words;
    for (const key of app.logins) this.#world.logins.get(key)?.hears(words);
  }

  /** Returns whether to acknowledge it: what the gateway does not use as well. */
  async #take(app: OpenApp, { type, payload }: SocketPayload): Promise<boolean> {
    if (type !== 'events_api' && type !== 'interactive') return true;
    if (app.handling >= MAX_AT_ONCE) {
      this.#world.observer.count('event_failed');
      return false;
    }
    app.handling += 1;
    try {
      return await this.#intake.take(payload, app.logins);
    } finally {
      app.handling -= 1;
    }
  }
}
