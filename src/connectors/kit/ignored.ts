import type { MessengerObserver } from '../contract/messenger.ts';

/** The longest kind that is logged, in UTF-16 units. */
const MAX_KIND = 100;

/** Counts and logs the decision to do nothing about something that a platform has sent. `kind`: the platform's name for it. */
export function ignored<Event extends string>(
  observer: MessengerObserver<Event>,
  event: Event,
  kind: string,
): void {
  observer.count(event);
  observer.log('debug', 'ignored', { kind: kind.slice(0, MAX_KIND) });
}
