import type { Clock } from '../../../base/time.ts';
import { pause } from '../../../base/waits.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import type { SessionObserver } from '../gateway/gateway-session.ts';
import type { VoiceFollowers } from '../gateway/voice-followers.ts';
import type { EventReader } from '../messages/event-reader.ts';
import type { History } from '../messages/history.ts';
import type { DiscordObserver, Receiving } from '../messages/message-receiver.ts';

export interface SessionObserverDeps {
  readonly events: EventReader;
  readonly history: History;
  readonly followers: VoiceFollowers;
  readonly clock: Clock;
  readonly observer: DiscordObserver;
  /** Aborts when the login ends. */
  readonly signal: AbortSignal;
  receiving(): Receiving;
  /** The session is up. */
  up(): void;
  /** The session could not be established, in Discord's words. */
  failed(words: string): void;
}

/** Brings what happens in a bot's session to messages, calls, and the state of the login. */
export function sessionObserver(deps: SessionObserverDeps): SessionObserver {
  const { events, history, followers, observer, clock, signal } = deps;
  return {
    up: () => deps.up(),
    down: (words) => {
      observer.count('connection_lost');
      if (words !== null) deps.failed(words);
      followers.down();
    },
    seen: (event) => followers.seen(event),
    take: async (event) => {
      await patiently(clock, signal, () => events.take(event, deps.receiving(), signal));
      observer.count('event_read');
    },
    fillGap: (ended) => history.readAll(ended),
    failed: (event, error, isSkipped) => {
      observer.count(isSkipped ? 'event_skipped' : 'event_failed');
      if (!(error instanceof PlatformFailure))
        observer.log('error', 'a Discord event could not be stored', { err: error, type: event.type });
    },
  };
}

/** Repeats what Discord has put off. */
async function patiently(clock: Clock, signal: AbortSignal, run: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof PlatformFailure) || error.kind !== 'later' || signal.aborted) throw error;
      await pause(clock, error.afterMs, signal);
    }
  }
}
