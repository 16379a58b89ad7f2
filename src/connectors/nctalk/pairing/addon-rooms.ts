import { KeyedQueue } from '../../../base/keyed-queue.ts';
import type { Addon, AddonClient } from './addon-client.ts';

/** The lists of rooms that addons forward messages of. A list is read and replaced as a whole: one change after the other. */
export class AddonRooms {
  readonly #client: AddonClient;
  readonly #queue = new KeyedQueue();

  constructor(client: AddonClient) {
    this.#client = client;
  }

  /** Adds a room with the user id of its owner, or takes one off (null). Rejects with a PlatformFailure. */
  async authorize(addon: Addon, token: string, owner: string | null): Promise<void> {
    await this.#queue.run(addon.server, async () => {
      const rooms = new Map(Object.entries(await this.#client.authorizedRooms(addon)));
      if ((rooms.get(token) ?? null) === owner) return;
      if (owner === null) rooms.delete(token);
      else rooms.set(token, owner);
      await this.#client.authorizeRooms(addon, Object.fromEntries(rooms));
    });
  }
}
