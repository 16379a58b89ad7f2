export type FarEndsOrder =
  | { readonly type: 'start' }
  | { readonly type: 'bot' }
  /** Opens a voice channel with a person whose telephone, one of the generator's, is on this port of 127.0.0.1. */
  | { readonly type: 'channel'; readonly botId: string; readonly phonePort: number }
  /** Starts to count. */
  | { readonly type: 'begin' }
  | { readonly type: 'end' };

export type FarEndsAnswer =
  | { readonly type: 'start'; readonly url: string; readonly caFile: string }
  | ({ readonly type: 'bot' } & LeanBot)
  | ({ readonly type: 'channel' } & LeanChannel)
  | { readonly type: 'begin' }
  | { readonly type: 'end'; readonly undecryptable: number };

export interface LeanBot {
  readonly botId: string;
  readonly token: string;
  readonly applicationId: string;
}

/** A voice channel in a server of its own, with the bot and one person. */
export interface LeanChannel {
  readonly guildId: string;
  readonly channelId: string;
  /** Where the telephone sends to, on 127.0.0.1. */
  readonly port: number;
}
