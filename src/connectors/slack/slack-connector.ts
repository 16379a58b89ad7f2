import type { Address } from '../../base/address.ts';
import { GatewayError } from '../../base/errors.ts';
import type { ReadingTime } from '../../base/reading-time.ts';
import type { Clock } from '../../base/time.ts';
import type { Connector } from '../contract/connector.ts';
import type { Messenger } from '../contract/messenger.ts';
import type { PlatformRecords } from '../contract/records.ts';
import { GivenIntake } from '../kit/given-intake.ts';
import { botRefused, requireForm, type TokenForm } from '../kit/hosted-logins.ts';
import { checkTextLength } from '../kit/sending.ts';
import { type AccessToken, failureOf, fixedToken, type SlackUrls } from './client.ts';
import { EventIntake, WebhookReceiver } from './events/webhook-receiver.ts';
import { Logins, type LoginWorld, openLogin } from './login/logins.ts';
import { CHOICES, checkTextAbove } from './messages/buttons.ts';
import { showsEdits } from './messages/live-edits.ts';
import { toMrkdwn } from './messages/mrkdwn.ts';
import { react, SLACK_REMEDIES, sendMessage } from './messages/send-message.ts';
import { ConnectedWorkspaces } from './oauth/connected-workspaces.ts';
import type { SharedApp } from './oauth/slack-oauth.ts';
import type { SlackObserver } from './slack-observer.ts';
import { SlackRecords } from './slack-records.ts';
import { SocketMode } from './socket/socket-mode.ts';

/** Slack cuts longer texts off (https://docs.slack.dev/reference/methods/chat.postMessage#truncating). */
const MAX_TEXT = 40_000;

export interface SlackOptions {
  readonly urls: SlackUrls;
  /** Null: there is no app that all accounts share. */
  readonly sharedApp: SharedApp | null;
}

export interface SlackDeps {
  readonly clock: Clock;
  readonly observer: SlackObserver;
  readonly records: PlatformRecords;
  readonly readingTime: ReadingTime;
}

/** https://docs.slack.dev/authentication/tokens. `xoxe.`: a token that expires. */
const SLACK_BOT_TOKEN: TokenForm = {
  pattern: /^(?:xoxe\.)?xoxb-[\w-]{1,500}$/,
  hint: 'This is not a Slack bot token. A bot token begins with xoxb-; the page of the app at https://api.slack.com/apps shows it under OAuth & Permissions once the app is installed.',
};
/** For Socket Mode. */
const SLACK_APP_TOKEN: TokenForm = {
  pattern: /^xapp-[\w-]{1,500}$/,
  hint: 'This is not a Slack app token. An app token begins with xapp-; the page of the app at https://api.slack.com/apps makes one under Basic Information, App-Level Tokens, with the scope connections:write.',
};

/** Slack over its Web API, Events API and Socket Mode: own bots, and the workspaces that have installed the shared app. */
export function slackConnector({ urls, sharedApp: app }: SlackOptions, deps: SlackDeps): Connector {
  const { clock, observer } = deps;
  const intake = new GivenIntake();
  const logins = new Logins({
    form: SLACK_BOT_TOKEN,
    open: async (bot, onState) => {
      if (bot.appToken) requireForm(bot.appToken, SLACK_APP_TOKEN);
      return await openLogin(world, {
        ref: { kind: 'bot_token', id: bot.id },
        token: tokenOf(bot.token),
        signingSecret: bot.signingSecret || null,
        taken: () => new GatewayError('bot_token_taken'),
        onState,
      });
    },
    failureOf,
    /** Has the bot's events delivered over Socket Mode. A token that Slack refuses shows in the bot's state as well. */
    follow: async (_login, { id, accountId, appToken }) => {
      const failure = appToken ? await sockets.join(id, appToken, accountId).catch(failureOf) : null;
      if (failure?.isLoggedOut !== true) return;
      await logins.removeBot(id);
      throw botRefused(failure, 'app token');
    },
    leaving: async (key) => await sockets.leave(key),
  });
  const records = new SlackRecords(deps.records);
  const world: LoginWorld = { ...deps, urls, logins, records, intake: intake.get };
  const workspaces = new ConnectedWorkspaces(world, app);
  const expects = (places: ReadonlySet<string>) => workspaces.expects(places);
  const sharedApp = app && { signingSecret: app.signingSecret, expects };
  const events = new EventIntake(logins, observer);
  const webhooks = new WebhookReceiver({ clock, observer, logins, events, sharedApp });
  const sockets = new SocketMode({ ...world, readingTime: deps.readingTime }, events);
  const messenger = messengerOf(logins, intake.give);
  return {
    platform: 'slack',
    provides: { messenger, webhooks, bots: logins, oauth: workspaces.oauth },
    start: async () => {},
    async close() {
      await Promise.all([workspaces.close(), sockets.close()]);
      await logins.close();
    },
  };
}

function messengerOf(logins: Logins, onMessages: Messenger['onMessages']): Messenger {
  const loginOf = (to: Address) => {
    const login = logins.of(to.login);
    return login?.isTaken === false ? login : undefined;
  };
  return {
    remedies: SLACK_REMEDIES,
    files: {
      async fetchFile(login, ref, signal) {
        const found = logins.of(login);
        if (!found) throw new GatewayError('file_gone');
        return await found.api.openFile(ref, signal);
      },
    },
    onMessages,
    maxText: MAX_TEXT,
    /** Escaping makes a text longer. */
    checkText(text, _isCaption, hasChoices) {
      if (hasChoices) checkTextAbove(toMrkdwn(text));
      else checkTextLength('Slack', toMrkdwn(text).length, MAX_TEXT);
    },
    choices: CHOICES,
    reactions: {
      async react(to, reaction, signal) {
        const login = logins.of(to.login);
        if (login && !login.isTaken) return await react(login, to, reaction, signal);
        return { kind: 'failed', reason: login?.state.status ?? 'The bot is not logged in' };
      },
    },
    live: showsEdits(loginOf),
    async send(message, signal) {
      const login = logins.of(message.to.login);
      if (login && !login.isTaken) return await sendMessage(login, message, signal);
      const reason = login?.state.status ?? 'The bot is not logged in';
      return { kind: 'refused', reason, isAddressGone: false };
    },
  };
}

function tokenOf(token: string): AccessToken {
  try {
    return fixedToken(token);
  } catch (error) {
    throw botRefused(failureOf(error));
  }
}
