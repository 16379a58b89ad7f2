import type { Generated } from 'kysely';
import type { Platform } from '../../base/platform.ts';
import type { SpaceKind } from '../messages/message-tables.ts';

/** The tables of this folder by name. */
export interface LoginTables {
  botOwners: BotOwnersTable;
  botTokens: BotTokensTable;
  connections: ConnectionsTable;
  connectionStates: ConnectionStatesTable;
  sipTrunks: SipTrunksTable;
  sipDids: SipDidsTable;
  ownerCodes: OwnerCodesTable;
  platformRecords: PlatformRecordsTable;
}

/** A platform login by OAuth or pairing, or a person bound over a shared login. */
export interface ConnectionsTable {
  id: string;
  accountId: string;
  provider: string;
  email: string | null;
  label: string;
  status: string;
  /** The login to which the connection links a person or channel. Null: the connection is a login itself. */
  loginKey: string | null;
  /**
   * The platform's id of the linked person or channel; for a connection that is a login itself, of the person who made
   * it.
   */
  remoteId: string | null;
  /** What `remoteId` names. */
  spaceKind: Generated<SpaceKind>;
  /**
   * OAuth: the platform's permanent id of the account behind the tokens. Pairing: the account and the server
   * (`pairedUserId`). Null: bound over a shared login.
   */
  providerUserId: string | null;
  /** OAuth: what was granted, as the platform wrote it. */
  scopes: string | null;
  /** OAuth: when the access token expires. Null: it does not, or the platform did not say. */
  expiresAt: string | null;
  sealedCredentials: string;
  createdAt: string;
  updatedAt: string;
}

/** A connection in progress at a platform. `email`: the account's address when it began; null: it had none. */
export interface ConnectionStatesTable {
  stateHash: string;
  accountId: string;
  email: string | null;
  /** The credential that started it: a browser session or a settings key. */
  credentialKind: 'session' | 'settings';
  credentialId: string;
  /** The platform to connect; or where an administrator is to approve. */
  provider: Platform | `${Platform}-admin-consent`;
  /** The connection to renew, or to approve; null: a new one. */
  connectionId: string | null;
  /** The gateway's own page to return to; null: none. */
  returnTo: string | null;
  /** PKCE verifier; null: the platform has no PKCE. */
  sealedVerifier: string | null;
  createdAt: string;
  expiresAt: string;
  /** Pairing: the server that was agreed on. Null: the platform is connected by OAuth. */
  server: string | null;
}

/** A bot registered by the account. */
export interface BotTokensTable {
  id: string;
  accountId: string;
  platform: Platform;
  botName: string | null;
  status: string;
  sealedToken: string;
  discordAppId: string | null;
  sealedSigningSecret: string | null;
  sealedAppToken: string | null;
  createdAt: string;
}

/** The person who owns a bot, identified by their conversation with it. */
export interface BotOwnersTable {
  botId: string;
  accountId: string;
  conversationId: string;
  createdAt: string;
}

/** A bot owner's one-time code, as SHA-256. `usedBy`: the platform id of the person who used it; null: unused. */
export interface OwnerCodesTable {
  botId: string;
  accountId: string;
  codeHash: string;
  usedBy: string | null;
  createdAt: string;
  expiresAt: string;
}

/** One trunk per account. `sealedPassword` is sealed with a SecretBox. */
export interface SipTrunksTable {
  accountId: string;
  host: string;
  port: number;
  transport: 'udp' | 'tcp' | 'tls';
  username: string;
  sealedPassword: string;
  /** Null: stored by a version without tokens. A token is added when the trunks are loaded. */
  sealedInboundToken: string | null;
  realm: string | null;
  callerId: string | null;
  register: boolean;
  behindNat: boolean;
  mediaTimeoutS: number | null;
  callerIdIn: 'from' | 'p_asserted_identity' | 'p_preferred_identity';
  callerFrom: 'p_asserted_identity' | 'remote_party_id' | 'from';
  srtp: 'off' | 'optional' | 'required';
  createdAt: string;
  updatedAt: string;
}

/** A number is an unverified claim: several accounts may list the same one. */
export interface SipDidsTable {
  id: string;
  accountId: string;
  number: string;
  label: string | null;
  autoAnswer: boolean;
  createdAt: string;
  /** Null: the account's enabled preset. */
  sttVoiceConfigId: string | null;
  ttsVoiceConfigId: string | null;
}

/** What a platform's connector keeps of a login. It is deleted with the bot or connection. */
interface PlatformRecordsTable {
  loginKey: string;
  platform: Platform;
  kind: string;
  key: string;
  /** JSON. */
  value: string;
  /** Not null: no other login of the platform has it. */
  uniqueKey: string | null;
  groupKey: string | null;
  messageId: string | null;
}
