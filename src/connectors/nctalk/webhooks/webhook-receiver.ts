import type * as z from 'zod';
import { isDiskFull } from '../../../base/errors.ts';
import { LimitedMap } from '../../../base/limited-map.ts';
import { platformJson } from '../../../base/platform-json.ts';
import type { Clock } from '../../../base/time.ts';
import type { MessageIntake } from '../../contract/messenger.ts';
import type { TakesWebhooks, WebhookReply, WebhookRequest } from '../../contract/webhooks.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import type { BotLogin } from '../login/bot-login.ts';
import type { ConnectedNextclouds } from '../login/connected-nextclouds.ts';
import { BOT_HEADERS, maySign, type TalkBotLogin } from '../login/talk-bot-login.ts';
import type { NextcloudTalkObserver } from '../nctalk-observer.ts';
import {
  ADDON_RANDOM,
  ADDON_SIGNATURE,
  isSignedByAddon,
  type ReplayMemory,
} from '../pairing/addon-signature.ts';
import { CALLBACK_LIMIT_BYTES, CALLBACK_WEBHOOK } from '../pairing/pairing-callback.ts';
import { BOT_WEBHOOK } from '../pairing/talk-bots.ts';
import { DISABLED_WEBHOOK, type TalkPairing } from '../pairing/talk-pairing.ts';
import { AttendeePost, CallPost, ChatPost, ProbePost, WRITTEN } from './addon-posts.ts';
import { answerWith, awaitAnswer } from './awaited-answer.ts';
import { BotPost, takeBotPost } from './bot-posts.ts';

/** An unsigned request names nobody, so that its signature is compared with those of all Nextclouds, up to so many. */
const MAX_SECRETS = 2_000;
const MAX_BOT_POSTS = 20_000;

const HEARTBEAT = '/api/e2ee/heartbeat';
const ADDON_POSTS = [
  'chat',
  'probe',
  'attendee-added',
  'attendee-removed',
  'call-started',
  'call-ended',
  HEARTBEAT,
];

const DONE: WebhookReply = { status: 200, json: {} };
const NOT_STORED: WebhookReply = { status: 503, text: 'Not stored' };

export interface WebhookReceiverDeps {
  readonly clock: Clock;
  readonly observer: NextcloudTalkObserver;
  readonly nextclouds: ConnectedNextclouds;
  readonly pairing: Pick<TalkPairing, 'callback' | 'addonDisabled'>;
  readonly replays: ReplayMemory;
  intake(): MessageIntake;
  /** A call has started or ended in a room of a Nextcloud with one of these bots, which may not be in it. */
  callChanged(bots: readonly BotLogin[], token: string): void;
}

/** What addons and Talk bots post. An addon's post says only where to look: its signature does not cover its body. */
export class WebhookReceiver implements TakesWebhooks {
  readonly endpoints = [CALLBACK_WEBHOOK, DISABLED_WEBHOOK, BOT_WEBHOOK, ...ADDON_POSTS].map((path) => ({
    path,
    methods: ['post'] as const,
    answers: 'json' as const,
    ...(path === CALLBACK_WEBHOOK && { bodyLimitBytes: CALLBACK_LIMIT_BYTES }),
  }));
  readonly headers = [ADDON_RANDOM, ADDON_SIGNATURE, ...Object.values(BOT_HEADERS)];
  readonly #deps: WebhookReceiverDeps;
  /** Randoms of posts to Talk bots. */
  readonly #botPosts = new LimitedMap<true>(MAX_BOT_POSTS);

  constructor(deps: WebhookReceiverDeps) {
    this.#deps = deps;
  }

  /** Refuses what no body could make valid. */
  refuses({
    endpoint,
    loginKey,
    header,
  }: Pick<WebhookRequest, 'endpoint' | 'loginKey' | 'header'>): WebhookReply | null {
    if (endpoint === CALLBACK_WEBHOOK) return null;
    if (endpoint === BOT_WEBHOOK) {
      if (this.#botOf(loginKey) === null) return { status: 404, text: 'No such bot' };
      return maySign(header) ? null : this.#refused();
    }
    return this.#secretOf(header) === null ? this.#refused() : null;
  }

  async webhook(request: WebhookRequest): Promise<WebhookReply> {
    try {
      return await this.#answerTo(request);
    } catch (error) {
      const { observer } = this.#deps;
      observer.count('room_failed');
      if (!(error instanceof PlatformFailure) && !isDiskFull(error))
        observer.log('error', 'a post of a Nextcloud could not be stored', { err: error });
      return NOT_STORED;
    }
  }

  async #answerTo(request: WebhookRequest): Promise<WebhookReply> {
    const { endpoint, header, body, loginKey } = request;
    const { pairing, replays, observer } = this.#deps;
    if (endpoint === CALLBACK_WEBHOOK) return await pairing.callback.take(body);
    if (endpoint === DISABLED_WEBHOOK) return pairing.addonDisabled(request);
    const bot = this.#botOf(loginKey);
    if (bot !== null) return await this.#takeBotPost(bot, request);
    const secret = this.#secretOf(header);
    if (secret === null) return this.#refused();
    const post = platformJson(body);
    if (typeof post !== 'object' || post === null) return this.#unreadable();
    if (!replays.isFirst(secret, header)) {
      observer.count('webhook_repeated');
      return DONE;
    }
    return await this.#takeAddonPost(request, post, this.#deps.nextclouds.withSecret(secret));
  }

  async #takeAddonPost(
    { endpoint, signal }: WebhookRequest,
    post: object,
    bots: readonly BotLogin[],
  ): Promise<WebhookReply> {
    switch (endpoint) {
      case 'chat':
        return await this.#read(ChatPost, post, (chat) => this.#chat(chat, bots, signal));
      case 'probe':
        return await this.#read(ProbePost, post, async ({ nonce, bot_login: user }) => {
          for (const bot of named(user, bots)) bot.probed(nonce);
          return DONE;
        });
      case 'attendee-added':
      case 'attendee-removed':
        return await this.#read(AttendeePost, post, async ({ room_token: token, bot_user_id: user }) => {
          for (const bot of named(user, bots)) bot.moved(token);
          return DONE;
        });
      case HEARTBEAT:
        for (const bot of bots) await bot.rooms.unseal(null);
        return DONE;
      default:
        return await this.#read(CallPost, post, async ({ room_token: token }) => {
          this.#deps.callChanged(bots, token);
          return DONE;
        });
    }
  }

  /** Looks into the room as the bot that is meant. Others who are there look, too. */
  async #chat(
    { type, room_token: token, bot_user: user, encrypted }: z.output<typeof ChatPost>,
    bots: readonly BotLogin[],
    signal: AbortSignal,
  ): Promise<WebhookReply> {
    const meant = named(user, bots);
    const others = bots.filter((bot) => !meant.includes(bot) && bot.rooms.isHeard(token));
    for (const bot of others) bot.ring(token);
    const [bot] = meant;
    if (!bot) return DONE;
    if (encrypted !== undefined) {
      await bot.encrypted(token);
      await bot.called(token);
      return DONE;
    }
    await bot.rooms.unseal(token);
    if (type !== WRITTEN) {
      await bot.called(token);
      return DONE;
    }
    const { clock, intake } = this.#deps;
    const expected = bot.writerIn(token);
    const read = async () => await bot.called(token);
    const awaited = await awaitAnswer({ intake: intake(), expected, signal, read });
    return awaited === null ? DONE : await answerWith({ clock, login: bot, token }, awaited);
  }

  /** Talk waits five seconds, and counts what is not answered with 200. */
  async #takeBotPost(bot: TalkBotLogin, { header, body }: WebhookRequest): Promise<WebhookReply> {
    const { observer, clock, intake } = this.#deps;
    if (!maySign(header) || !bot.isSigned(header, body)) return this.#refused();
    const post = platformJson(body);
    const { data } = BotPost.safeParse(post);
    if (!data) return this.#unreadable();
    const random = header(BOT_HEADERS.random);
    if (this.#botPosts.get(random)) {
      observer.count('webhook_repeated');
      return DONE;
    }
    const reader = { login: bot.ref, nowIso: clock.nowIso() };
    if (!(await takeBotPost(reader, { type: data.type, body: post }, intake()))) return this.#unreadable();
    this.#botPosts.set(random, true);
    return DONE;
  }

  async #read<Schema extends z.ZodType>(
    schema: Schema,
    post: object,
    take: (data: z.output<Schema>) => Promise<WebhookReply>,
  ): Promise<WebhookReply> {
    const { data, success } = schema.safeParse(post);
    return success ? await take(data) : this.#unreadable();
  }

  #botOf(loginKey: string): TalkBotLogin | null {
    const login = loginKey === '' ? undefined : this.#deps.nextclouds.get(loginKey);
    return login?.kind === 'talk_bot' ? login : null;
  }

  /** Returns the addon's secret with which a request is signed; null: with none. */
  #secretOf(header: WebhookRequest['header']): string | null {
    if (header(ADDON_SIGNATURE) === '') return null;
    let tried = 0;
    for (const secret of this.#deps.nextclouds.secrets) {
      if (tried++ >= MAX_SECRETS) return null;
      if (isSignedByAddon(secret, header)) return secret;
    }
    return null;
  }

  #refused(): WebhookReply {
    this.#deps.observer.count('webhook_refused');
    return { status: 401, text: 'Invalid signature' };
  }

  #unreadable(): WebhookReply {
    this.#deps.observer.count('webhook_unreadable');
    return { status: 400, text: 'Not a post of the addon' };
  }
}

/** The bots that a post means: the one of this user, or else all. */
function named(userId: string, bots: readonly BotLogin[]): readonly BotLogin[] {
  const bot = bots.find(({ credentials }) => credentials.botLogin === userId);
  return bot ? [bot] : bots;
}
