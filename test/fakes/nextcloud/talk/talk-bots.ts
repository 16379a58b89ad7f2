import { createHash } from 'node:crypto';
import type { Actor } from '../world/fake-message.ts';
import type { FakeRoom } from '../world/fake-room.ts';

/** https://nextcloud-talk.readthedocs.io/en/latest/constants/#bot-features */
export const FEATURE = { webhook: 1, response: 2, event: 4, reaction: 8 } as const;

/** What a bot was installed with. */
export interface BotInstallation {
  readonly name: string;
  readonly url: string;
  readonly secret: string;
  readonly features: number;
}

export interface InstalledBot extends BotInstallation {
  readonly id: number;
  /** How many deliveries have failed. */
  errors: number;
}

/** The bots of Talk. They are installed by the administrator, or by an app. */
export class TalkBots {
  readonly #byId = new Map<number, InstalledBot>();
  #lastId = 0;

  install(installation: BotInstallation): InstalledBot {
    const { secret, name } = installation;
    if (secret.length < 40 || secret.length > 128) throw new Error('a secret has 40 to 128 characters');
    if (name === '' || name.length > 64) throw new Error('a name has 1 to 64 characters');
    const bot = { ...installation, id: ++this.#lastId, errors: 0 };
    this.#byId.set(bot.id, bot);
    return bot;
  }

  uninstall({ id }: InstalledBot): void {
    this.#byId.delete(id);
  }

  byId(id: number): InstalledBot | undefined {
    return this.#byId.get(id);
  }

  get all(): readonly InstalledBot[] {
    return [...this.#byId.values()];
  }

  /** The bots that are enabled in a conversation, and have a feature. */
  in({ bots }: FakeRoom, feature: number): InstalledBot[] {
    return this.all.filter(({ id, features }) => bots.has(id) && (features & feature) !== 0);
  }
}

/** As whom a bot writes. */
export function actorOf({ url, name }: BotInstallation): Actor {
  return { type: 'bots', id: `bot-${createHash('sha1').update(url).digest('hex')}`, name };
}
