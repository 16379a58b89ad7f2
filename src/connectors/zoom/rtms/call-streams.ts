import type { Connection } from '../../contract/oauth.ts';
import type { FollowedCall, FollowsStreams } from '../calls/zoom-directory.ts';
import type { StreamRegistry } from './stream-registry.ts';
import { StreamedCall } from './streamed-call.ts';

/** Gives calls the streams that the user of their connection has started. */
export class CallStreams implements FollowsStreams {
  readonly #registry: StreamRegistry;
  /** Zoom's ids of users, by connection. */
  readonly #users = new Map<string, string>();

  constructor(registry: StreamRegistry) {
    this.#registry = registry;
  }

  connected({ id, providerUserId }: Connection): void {
    this.#users.set(id, providerUserId);
  }

  disconnected(connectionId: string): void {
    this.#users.delete(connectionId);
  }

  follow({ connectionId, meetingUuid, observer, own }: FollowedCall, signal: AbortSignal): void {
    const userId = this.#users.get(connectionId);
    if (userId === undefined) return;
    this.#registry.follow({ userId, meetingUuid, observer: new StreamedCall(observer, own) }, signal);
  }
}
