import type { LoginRef } from '../../base/address.ts';

/** A platform on which people become contacts of an account through a link that contains its invite token. */
export interface InvitesPeople {
  /** Null until the platform has told us where the link leads. */
  inviteUrl(token: string): string | null;
}

/** A platform with links that open a chat with a bot. */
export interface LinksToBots {
  /** What opening such a link does, for the API's description. */
  readonly linkHint: string;
  /** Whether the link hands an invite token over. Otherwise the person types it. */
  readonly carriesToken: boolean;
  /** `token`: an invite token that the person sends to the bot; null: none. */
  botLink(bot: LinkedBot, token: string | null): string;
}

/** A bot that a link leads to. */
export interface LinkedBot {
  readonly login: LoginRef;
  /** As in LoginState. */
  readonly name: string;
}

/** State of one of the gateway's logins. */
export interface LoginState {
  /** Name that people see on the platform, such as `@my_bot`; null until the platform has reported it. */
  readonly name: string | null;
  /** `ok`, or the problem in the platform's words. */
  readonly status: string;
}

/** A platform with one login shared by all accounts. */
export interface SharesLogin {
  /** Null when the operator has not set one up. */
  sharedLogin(): LoginState | null;
}

/** A platform that hosts bots added by accounts. */
export interface HostsBots {
  /**
   * Logs the bot in and starts receiving its messages. Messages may be sent over it from this call on. A platform that
   * is unreachable shows in the returned state; the bot is kept. Rejects with GatewayError `bot_token_malformed`, before
   * the platform is asked, `bot_refused`, with the platform's words, or `bot_token_taken`; the bot is then not kept.
   */
  addBot(bot: HostedBot): Promise<LoginState>;
  /** Removes the bot. Its undelivered messages stay with the platform. Safe to call for an unknown bot. */
  removeBot(botId: string): Promise<void>;
  /** Sets the listener for bot state changes. Called once, before any bot is added. */
  onBotState(listener: (botId: string, state: LoginState) => void): void;
}

export interface HostedBot {
  readonly id: string;
  /** Whose bot it is: what is read over it takes the account's time. */
  readonly accountId: string;
  readonly token: string;
  /** The id of the bot's application, on platforms that need it. */
  readonly appId?: string | null;
  /** With which the platform signs webhooks, where it is given. */
  readonly signingSecret?: string | null;
  /** With which the bot's app opens a connection for events, in place of webhooks. */
  readonly appToken?: string | null;
}
