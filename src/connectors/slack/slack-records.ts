/** Who a bot is at Slack. */
export interface BotIdentity {
  readonly teamId: string;
  /** The organization, where the app is installed in all of it; null: in one workspace. */
  readonly enterpriseId: string | null;
  /** The bot's own user. */
  readonly userId: string;
}

/** What is kept of own bots between two runs. A change is on disk once its promise settles. */
export interface SlackRecords {
  /** Null: the bot has never been logged in. */
  identity(botId: string): Promise<BotIdentity | null>;
  /** Stores who a bot is. Returns false when another one is the same bot at Slack. */
  claim(botId: string, identity: BotIdentity): Promise<boolean>;
}
