import type { Platform } from '../../base/platform.ts';
import type { Bit } from '../database/column-types.ts';

/** A login at a platform by OAuth and its like. */
export interface ConnectionsTable {
  id: string;
  accountId: string;
  provider: string;
  email: string | null;
  label: string;
  status: string;
  /** By which login of the gateway it is known, and who it is there; null where the platform has neither. */
  loginKey: string | null;
  remoteId: string | null;
  sealedCredentials: string;
  createdAt: string;
  updatedAt: string;
}

export type BotPlatform = 'discord' | 'telegram' | 'slack';

/** A bot that the account brought. */
export interface BotTokensTable {
  id: string;
  accountId: string;
  platform: BotPlatform;
  botName: string | null;
  status: string;
  sealedToken: string;
  discordAppId: string | null;
  sealedSigningSecret: string | null;
  createdAt: string;
}

/** The person who owns a bot, by the conversation that they have with it. */
export interface BotOwnersTable {
  botId: string;
  accountId: string;
  conversationId: string;
  createdAt: string;
}

/** What the owner of a bot sends it once, as SHA-256. `usedBy` is the platform's name for who did; null: nobody so far. */
export interface OwnerCodesTable {
  botId: string;
  accountId: string;
  codeHash: string;
  usedBy: string | null;
  createdAt: string;
  expiresAt: string;
}

/** One trunk an account. `sealedPassword` is a SecretBox text. */
export interface SipTrunksTable {
  accountId: string;
  host: string;
  port: number;
  transport: 'udp' | 'tcp' | 'tls';
  username: string;
  sealedPassword: string;
  /** Null: stored by a version that knew no tokens; loading the trunks gives it one. */
  sealedInboundToken: string | null;
  realm: string | null;
  callerId: string | null;
  register: Bit;
  behindNat: Bit;
  srtp: 'off' | 'optional' | 'required';
  createdAt: string;
  updatedAt: string;
}

/** A number is a claim that nobody has proven: several accounts may list the same one. */
export interface SipDidsTable {
  id: string;
  accountId: string;
  number: string;
  label: string | null;
  autoAnswer: Bit;
  createdAt: string;
}

/** How far a login has read what the platform has for it. */
export interface LoginPositionsTable {
  platform: Platform;
  loginKey: string;
  position: string;
}
