import * as z from 'zod';
import { keyOfLogin, type LoginRef } from '../../base/address.ts';
import { GatewayError } from '../../base/errors.ts';
import type { ReadingTime } from '../../base/reading-time.ts';
import type { Clock } from '../../base/time.ts';
import type { Connector } from '../contract/connector.ts';
import type { LinksToBots, LoginState } from '../contract/login.ts';
import type { Messenger } from '../contract/messenger.ts';
import type { PlatformRecords } from '../contract/records.ts';
import { LOGIN_WEBHOOK, type TakesWebhooks, type WebhookReply } from '../contract/webhooks.ts';
import { GivenIntake } from '../kit/given-intake.ts';
import { botRefused, HostedLogins, type TokenForm } from '../kit/hosted-logins.ts';
import type { PlatformFailure } from '../kit/platform-failure.ts';
import { reactionOutcome } from '../kit/reactions.ts';
import { checkTextLength } from '../kit/sending.ts';
import { CHOICES } from './buttons.ts';
import { BotApi, type BotApiUrls, failureOf } from './client.ts';
import { showsDrafts } from './drafts.ts';
import { characters, MAX_TEXT_CHARACTERS } from './message-parts.ts';
import { placeIn, reactionParameters, sendMessage } from './outbound.ts';
import { TELEGRAM_REMEDIES } from './remedies.ts';
import { TelegramLogin } from './telegram-login.ts';
import type { TelegramObserver } from './update-receiver.ts';

/** What people of all accounts write to the shared bot is read in its own time. */
const SHARED_READER = 'the shared Telegram bot';
const SECRET_HEADER = 'x-telegram-bot-api-secret-token';

/** https://core.telegram.org/bots/api#authorizing-your-bot */
const TELEGRAM_TOKEN: TokenForm = {
  pattern: /^[1-9]\d{0,19}:[\w-]{30,128}$/,
  hint: 'This is not a Telegram bot token. A token is a number, a colon and 35 letters, digits, - and _, such as 123456789:AAF…; @BotFather shows it (/mybots, then API Token).',
};

const NO_LOGIN: WebhookReply = { status: 404, text: 'No such login' };

/** Telegram takes about 30 messages a second from a bot (https://core.telegram.org/bots/faq#broadcasting-to-users). */
const MOST_PER_SECOND = 30;
const TOO_OLD = 'The message was written before the group became a supergroup';
const REACT_DEADLINE_MS = 15_000;
const TYPING_DEADLINE_MS = 4_000;

export interface TelegramOptions {
  readonly urls: BotApiUrls;
  /** Token of the bot shared by all accounts; null when there is none. */
  readonly sharedToken: string | null;
  /** Public base URL of the gateway's webhooks, without a trailing slash; null to poll for updates. */
  readonly webhookRoot: (() => string) | null;
}

export interface TelegramDeps extends TelegramOptions {
  readonly clock: Clock;
  readonly observer: TelegramObserver;
  readonly records: PlatformRecords;
  readonly readingTime: ReadingTime;
}

/** Telegram over its Bot API, with any number of independent bots. */
export function telegramConnector(deps: TelegramDeps): Connector {
  const { urls, clock, observer, readingTime, sharedToken, webhookRoot } = deps;
  const intake = new GivenIntake();
  /** `reader`: in whose time its updates are read. */
  const open = (
    ref: LoginRef,
    token: string,
    reader: string,
    onState: (state: LoginState) => void,
  ): TelegramLogin => {
    const key = keyOfLogin(ref);
    const api = apiOf(() => new BotApi(urls, token, clock, readingTime.of(reader)));
    if (ref.kind !== 'shared' && logins.all.some((other) => other.api.botId === api.botId))
      throw new GatewayError('bot_token_taken');
    const webhookUrl = webhookRoot && (() => `${webhookRoot()}/${key}`);
    const own = { ref, api, intake: intake.get(), key, webhookUrl, webhookSeed: token, onState };
    const login = new TelegramLogin({ ...deps, ...own });
    logins.put(key, login);
    return login;
  };
  const logins = new HostedLogins<TelegramLogin>({
    form: TELEGRAM_TOKEN,
    open: ({ id, accountId, token }, onState) => open({ kind: 'bot_token', id }, token, accountId, onState),
    failureOf,
    follow: (login) => login.follow(),
    removed: async (key) => await deps.records.delete(key),
  });
  return {
    platform: 'telegram',
    provides: {
      messenger: messengerOf(logins, deps, intake.give),
      webhooks: webhooksOf(logins),
      sharedLogin: logins,
      bots: logins,
      deepLinks: LINKS,
    },
    /** Starts receiving for the shared bot. An unreachable Telegram only shows in the bot's state. */
    async start() {
      if (sharedToken === null) return;
      const onState = ({ status }: LoginState) =>
        observer.log('info', 'shared Telegram bot changed state', { status });
      open({ kind: 'shared' }, sharedToken, SHARED_READER, onState).follow();
    },
    close: async () => await logins.close(),
  };
}

/** https://core.telegram.org/bots/features#deep-linking */
const LINKS: LinksToBots = {
  carriesToken: true,
  linkHint: 'Opens the bot in Telegram, where the person presses Start',
  botLink({ name }, token) {
    const address = `https://t.me/${name.replace(/^@/, '')}`;
    return token === null ? address : `${address}?start=${token}`;
  },
};

function messengerOf(
  logins: HostedLogins<TelegramLogin>,
  { clock, observer }: TelegramDeps,
  onMessages: Messenger['onMessages'],
): Messenger {
  return {
    remedies: TELEGRAM_REMEDIES,
    live: showsDrafts((login) => logins.of(login)?.api),
    mostPerSecond: MOST_PER_SECOND,
    quotes: true,
    choices: CHOICES,
    reactions: {
      async react({ login, space }, reaction, signal) {
        const api = logins.of(login)?.api;
        if (!api) return { kind: 'failed', reason: 'The bot is not logged in' };
        const parameters = reactionParameters(space.id, reaction);
        if (parameters === null) return { kind: 'failed', reason: TOO_OLD };
        const options = { deadlineMs: REACT_DEADLINE_MS, signal };
        return await reactionOutcome(
          'Telegram',
          api.call('setMessageReaction', parameters, options, z.unknown()),
        );
      },
    },
    typing: {
      // Telegram shows the indicator for at most five seconds.
      typingRepeatMs: 4_000,
      async showTyping({ login, space, thread }, signal) {
        const parameters = { ...placeIn(space.id, thread), action: 'typing' };
        const options = { deadlineMs: TYPING_DEADLINE_MS, signal };
        const shown = logins.of(login)?.api.call('sendChatAction', parameters, options, z.unknown());
        await shown?.catch(() => undefined);
      },
    },
    files: {
      async fetchFile(login, ref, signal) {
        const api = logins.of(login)?.api;
        if (!api) throw new GatewayError('file_gone');
        return await api.openFile(ref, signal);
      },
    },
    onMessages,
    maxText: MAX_TEXT_CHARACTERS,
    checkText: (text) => checkTextLength('Telegram', characters(text), MAX_TEXT_CHARACTERS),
    async send(message, signal) {
      const login = logins.of(message.to.login);
      if (!login) return { kind: 'refused', reason: 'The bot is not logged in', isAddressGone: false };
      const loggedOut = (failure: PlatformFailure) => login.heard(failure);
      const { space, thread } = message.to;
      const migrated = (chatId: string) => login.migrated(space.id, chatId);
      const chat = { api: login.api, clock, chatId: space.id, thread, signal, loggedOut, migrated };
      const outcome = await sendMessage(chat, message);
      if (outcome.kind === 'later') observer.count('throttled');
      return outcome;
    },
  };
}

function webhooksOf(logins: HostedLogins<TelegramLogin>): TakesWebhooks {
  return {
    endpoints: [{ path: LOGIN_WEBHOOK, methods: ['post'], answers: 'text' }],
    headers: [SECRET_HEADER],
    refuses: ({ loginKey, header }) => {
      const login = logins.get(loginKey);
      return login ? login.refusesWebhook(header(SECRET_HEADER)) : NO_LOGIN;
    },
    async webhook({ loginKey, header, body }) {
      const login = logins.get(loginKey);
      return login ? await login.takeWebhook(header(SECRET_HEADER), body) : NO_LOGIN;
    },
  };
}

function apiOf(make: () => BotApi): BotApi {
  try {
    return make();
  } catch (error) {
    throw botRefused(failureOf(error));
  }
}
