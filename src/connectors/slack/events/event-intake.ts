import { isDiskFull } from '../../../base/errors.ts';
import type { Logins } from '../login/logins.ts';
import type { SlackLogin } from '../login/slack-login.ts';
import type { SlackObserver } from '../slack-observer.ts';
import { Envelope } from './event-payload.ts';

/** Hands events to the logins that they are for, however they came. */
export class EventIntake {
  readonly #logins: Logins;
  readonly #observer: SlackObserver;

  constructor(logins: Logins, observer: SlackObserver) {
    this.#logins = logins;
    this.#observer = observer;
  }

  /** Resolves with whether everything in the event is stored for these logins. Never rejects. */
  async store({ event, event_id: eventId }: Envelope, logins: readonly SlackLogin[]): Promise<boolean> {
    try {
      for (const login of logins) await login.events.take(event, eventId);
      return true;
    } catch (error) {
      this.#observer.count('event_failed');
      if (!isDiskFull(error))
        this.#observer.log('error', 'an event of Slack could not be stored', { err: error });
      return false;
    }
  }

  /**
   * Handles an event that came over the connection of these logins' app. Resolves with whether to acknowledge it. Never
   * rejects.
   */
  async take(payload: unknown, loginKeys: ReadonlySet<string>): Promise<boolean> {
    const { data: envelope } = Envelope.safeParse(payload);
    if (envelope === undefined) this.#observer.count('webhook_unreadable');
    if (envelope?.type !== 'event_callback') return true;
    const meant = this.#logins.at(envelope).filter(({ key }) => loginKeys.has(key));
    if (meant.length > 0) return await this.store(envelope, meant);
    // Slack has not told yet of which workspace a login is.
    return ![...loginKeys].some((key) => this.#logins.get(key)?.identity === null);
  }
}
