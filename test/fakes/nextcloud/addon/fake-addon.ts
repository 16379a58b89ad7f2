import { randomBytes } from 'node:crypto';
import type { PhpSessions } from '../http/php-sessions.ts';
import { FEATURE, type InstalledBot, type TalkBots } from '../talk/talk-bots.ts';
import { FakeNcUser } from '../world/fake-nc-user.ts';
import type { FakeRoom } from '../world/fake-room.ts';
import { pickedFrom } from '../world/nc-ids.ts';
import type { NcWorld } from '../world/nc-world.ts';
import { GatewayPosts } from './gateway-posts.ts';

/** Those that differ for a gateway. 2.4 names attachments, 2.5 pairs from the Nextcloud's side, 3.0 sends for bots. */
export type AddonVersion = '2.3' | '2.4' | '2.5' | '3.0';

export interface AddonBot {
  readonly user: FakeNcUser;
  readonly password: string;
  /** Uid of the user who agreed. */
  readonly owner: string;
}

/** What the gateway gets when a bot was made. */
export interface ApprovalBody {
  readonly state: string;
  readonly nc_url: string;
  readonly bot_login: string;
  readonly bot_password: string;
  readonly api_secret: string;
  readonly app_id: string;
  readonly nc_username: string;
  readonly capabilities?: readonly string[];
  readonly e2ee_schemes?: readonly string[];
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const CALLBACK_TIMEOUT_MS = 15_000;

/** The addon of the gateway, installed in a Nextcloud: its settings, and the accounts of its bots. */
export class FakeAddon {
  readonly appId: string;
  readonly posts: GatewayPosts;
  readonly bots = new Map<string, AddonBot>();
  /** Owners by the tokens of the conversations that they have activated. */
  readonly authorizedRooms = new Map<string, string>();
  version: AddonVersion = '3.0';
  apiSecret = randomBytes(32).toString('hex');
  /** Where browsers are sent to pair; an administrator's setting. */
  gatewayUrl = '';
  backendUrl = '';
  callbackUrl = '';
  isEnabled = true;
  /** Whether Talk tells the addon of messages, which it does not on every Nextcloud. */
  eventsWork = true;
  /** Whether the addon posts what the gateway answers. Otherwise, what people write looks like a notice. */
  takesAnswers = true;
  readonly #world: NcWorld;
  readonly #talkBots: TalkBots;
  readonly #sessions: PhpSessions;
  readonly #origin: () => string;
  #talkBot: InstalledBot | null = null;

  constructor(
    {
      world,
      talkBots,
      sessions,
      origin,
    }: {
      readonly world: NcWorld;
      readonly talkBots: TalkBots;
      readonly sessions: PhpSessions;
      readonly origin: () => string;
    },
    appId = 'chamade_talk',
  ) {
    this.appId = appId;
    this.#world = world;
    this.#talkBots = talkBots;
    this.#sessions = sessions;
    this.#origin = origin;
    this.posts = new GatewayPosts(() => this);
    this.enable();
  }

  /** `chamade` */
  get brandId(): string {
    return this.appId.replace('_talk', '');
  }

  get brandName(): string {
    return `${this.brandId[0]?.toUpperCase()}${this.brandId.slice(1)}`;
  }

  /** The bot of Talk by which the addon hears of messages. */
  get talkBot(): InstalledBot | null {
    return this.#talkBot;
  }

  isBot(uid: string): boolean {
    return this.bots.has(uid) || uid.startsWith(`${this.brandId}-bot-`);
  }

  /** Makes the account of a bot. */
  addBot(owner: string): AddonBot {
    const login = `${this.brandId}-bot-${pickedFrom(LOWER + DIGITS, 8)}`;
    const password = [LOWER.toUpperCase(), LOWER, DIGITS, '!@#$%^&*()-_=+[]{}']
      .map((characters) => pickedFrom(characters, 8))
      .join('');
    const name = owner === '' ? this.brandName : `${this.brandName} (${owner})`;
    const user = this.#world.addUser(new FakeNcUser(login, name, { password }));
    const bot = { user, password, owner };
    this.bots.set(login, bot);
    return bot;
  }

  /** Makes a bot and hands it to the gateway. Returns null when the gateway refuses; the account is deleted then. */
  async approve({
    callbackUrl,
    state,
    owner,
  }: {
    readonly callbackUrl: string;
    readonly state: string;
    readonly owner: string;
  }): Promise<AddonBot | null> {
    const bot = this.addBot(owner);
    const body: ApprovalBody = {
      state,
      nc_url: this.#origin(),
      bot_login: bot.user.uid,
      bot_password: bot.password,
      api_secret: this.apiSecret,
      app_id: this.appId,
      nc_username: owner,
      ...(this.version === '3.0' && { capabilities: ['unified_send'], e2ee_schemes: [] }),
    };
    const isTaken = await fetch(callbackUrl, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(CALLBACK_TIMEOUT_MS),
    }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isTaken) return bot;
    // Only the account is deleted: what the addon knows of the bot stays, as in the real one.
    this.#deleteAccount(bot.user);
    return null;
  }

  /** Makes a bot whose credentials the gateway has already, as after a pairing. */
  pairedBot({ gatewayUrl, owner }: { readonly gatewayUrl: string; readonly owner: FakeNcUser }) {
    this.backendUrl = gatewayUrl;
    const { user, password } = this.addBot(owner.uid);
    return {
      appId: this.appId,
      botLogin: user.uid,
      botPassword: password,
      apiSecret: this.apiSecret,
      owner: owner.uid,
      canSend: this.version === '3.0',
    };
  }

  /** Deletes a bot's account, and what its owner has activated. */
  deleteBot({ user, owner }: AddonBot): void {
    this.#deleteAccount(user);
    this.bots.delete(user.uid);
    for (const [token, activatedBy] of this.authorizedRooms)
      if (activatedBy === owner) this.authorizedRooms.delete(token);
  }

  /** Enables the bot of Talk in a conversation, as an administrator does by `occ talk:bot:setup`. */
  enableIn(room: FakeRoom): void {
    if (this.#talkBot) room.bots.add(this.#talkBot.id);
  }

  enable(): void {
    this.isEnabled = true;
    this.#talkBot ??= this.#talkBots.install({
      name: this.brandName,
      url: `nextcloudapp://${this.appId}`,
      secret: randomBytes(32).toString('hex'),
      features: FEATURE.response | FEATURE.event,
    });
  }

  /** Disables the app. What belongs to the pairing stays; the bots go. */
  async disable(): Promise<void> {
    await this.posts.post('/api/nctalk/addon-disabled', { nc_url: this.#origin(), app_id: this.appId });
    for (const { user } of this.bots.values()) this.#deleteAccount(user);
    this.bots.clear();
    if (this.#talkBot) this.#talkBots.uninstall(this.#talkBot);
    this.#talkBot = null;
    this.isEnabled = false;
  }

  #deleteAccount(user: FakeNcUser): void {
    this.#sessions.end(user);
    this.#world.deleteUser(user);
  }
}
