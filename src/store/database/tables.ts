import type { GeneratedAlways, Kysely, Selectable } from 'kysely';
import type { Platform } from '../../base/platform.ts';
import type { TerminationResult } from '../../base/termination.ts';

/**
 * The tables as TypeScript sees them. Columns are snake_case in the database; timestamps are ISO 8601 texts in UTC
 * with milliseconds, so that they sort as they read; SQLite has no booleans, hence 0 and 1.
 */
export interface Tables {
  accounts: AccountsTable;
  agentAuthorizations: AgentAuthorizationsTable;
  agents: AgentsTable;
  apiKeys: ApiKeysTable;
  attachments: AttachmentsTable;
  agentKeys: AgentKeysTable;
  agentAccounts: AgentAccountsTable;
  agentProviders: AgentProvidersTable;
  auditLog: AuditLogTable;
  botOwners: BotOwnersTable;
  botTokens: BotTokensTable;
  calls: CallsTable;
  connections: ConnectionsTable;
  conversations: ConversationsTable;
  deliveries: DeliveriesTable;
  sipTrunks: SipTrunksTable;
  sipDids: SipDidsTable;
  events: EventsTable;
  facts: FactsTable;
  feedback: FeedbackTable;
  files: FilesTable;
  idempotentRequests: IdempotentRequestsTable;
  identities: IdentitiesTable;
  internalBearers: InternalBearersTable;
  knownBrowsers: KnownBrowsersTable;
  inviteLinks: InviteLinksTable;
  loginPositions: LoginPositionsTable;
  mailTokens: MailTokensTable;
  mcpAuthorizations: McpAuthorizationsTable;
  messages: MessagesTable;
  oauthClients: OauthClientsTable;
  oauthGrants: OauthGrantsTable;
  oauthTokens: OauthTokensTable;
  ownerCodes: OwnerCodesTable;
  platformMessages: PlatformMessagesTable;
  sessions: SessionsTable;
  signIns: SignInsTable;
  usageDays: UsageDaysTable;
}

/** What the functions of the store work on: the database, or a transaction in it. */
export type Db = Kysely<Tables>;

export type Bit = 0 | 1;

/** An account without an address, such as the operator's at first, is entered by keys alone. */
export interface AccountsTable {
  id: string;
  name: string;
  createdAt: string;
  /** In lower case. */
  email: string | null;
  emailVerifiedAt: string | null;
  /** Argon2id in PHC form; null: nobody signs in by password. */
  passwordHash: string | null;
  /** Since when everybody who can sign in has shown that the address is theirs; null: somebody may not have. */
  ownerProvenAt: string | null;
}

/** A browser in which the account's password was right. `tokenHash` is the SHA-256 of its cookie. */
export interface KnownBrowsersTable {
  tokenHash: string;
  accountId: string;
  createdAt: string;
  lastUsedAt: string;
}

/** A browser that is signed in. The cookie's value is never stored: `tokenHash` is its SHA-256 in hex. */
export interface SessionsTable {
  id: string;
  accountId: string;
  tokenHash: string;
  userAgent: string;
  address: string;
  createdAt: string;
  lastUsedAt: string;
  expiresAt: string;
}

export type MailPurpose = 'verify' | 'reset' | 'change_email';

/** A link that was sent by mail, by the SHA-256 of its token; gone once it was used. `email` is where it went. */
export interface MailTokensTable {
  tokenHash: string;
  accountId: string;
  purpose: MailPurpose;
  email: string;
  createdAt: string;
  expiresAt: string;
}

/** Who an account is at an OpenID Connect provider. */
export interface IdentitiesTable {
  id: string;
  accountId: string;
  provider: string;
  subject: string;
  email: string | null;
  createdAt: string;
  lastUsedAt: string;
}

/** A sign-in that is under way at a provider; `accountId` is who links an identity, null: somebody signs in. */
export interface SignInsTable {
  stateHash: string;
  accountId: string | null;
  provider: string;
  /** Nonce and PKCE verifier. */
  sealedSecrets: string;
  createdAt: string;
  expiresAt: string;
}

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

/** The model behind an agent. `config` and `eventFilter` are JSON; secrets of the config are sealed apart. */
export interface AgentProvidersTable {
  agentId: string;
  provider: string;
  config: string;
  sealedSecrets: string | null;
  systemPrompt: string | null;
  eventFilter: string;
  updatedAt: string;
}

/** The agent key with which a model calls back; the only key whose text is kept, sealed. */
export interface InternalBearersTable {
  agentId: string;
  keyId: string;
  sealedKey: string;
}

export type DeliveryStatus = 'queued' | 'delivered' | 'failed';

/** One event on its way to an agent's model. */
export interface DeliveriesTable {
  id: string;
  accountId: string;
  agentId: string;
  eventType: string;
  status: DeliveryStatus;
  payload: string;
  responseBody: string | null;
  error: string | null;
  createdAt: string;
  updatedAt: string;
}

/** Messages and bytes of files by day (YYYY-MM-DD, UTC); calls and minutes are told by the calls themselves. */
export interface UsageDaysTable {
  accountId: string;
  platform: Platform;
  day: string;
  messages: number;
  bytes: number;
}

/** The one invite link of an account that is valid. */
export interface InviteLinksTable {
  accountId: string;
  tokenHash: string;
  createdAt: string;
  expiresAt: string;
}

export interface FeedbackTable {
  id: string;
  accountId: string;
  message: string;
  surface: string | null;
  provider: string | null;
  errorDetail: string | null;
  suggestionShown: string | null;
  createdAt: string;
}

/** Who changed what, with which credential. `detail` is JSON without secrets. */
export interface AuditLogTable {
  id: GeneratedAlways<number>;
  /** Null: of no account, or of one that is gone. */
  accountId: string | null;
  credentialKind: 'session' | 'agent' | 'settings' | 'oauth' | 'none';
  credentialId: string;
  action: string;
  subject: string | null;
  detail: string;
  createdAt: string;
}

/** Exactly one agent of an account is the default; a partial unique index forbids two. */
export interface AgentsTable {
  id: string;
  accountId: string;
  name: string;
  isDefault: Bit;
  createdAt: string;
  /** What a person is told who gets no answer in time; null: the usual text, empty: nothing. */
  timeoutText: string | null;
}

/** Agent keys act at runtime, settings keys configure the account. */
export type KeyKind = 'agent' | 'settings';

/** The key itself is never stored: `hash` is its SHA-256 in hex, `keyPrefix` its first characters. */
export interface ApiKeysTable {
  id: string;
  accountId: string;
  kind: KeyKind;
  hash: string;
  keyPrefix: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

export interface AgentKeysTable {
  agentId: string;
  keyId: string;
}

/**
 * An MCP client, whoever has authorized it. `clientId` is the URL of a document that describes it where `fetchedAt` says
 * when that was read. `redirectUris` is JSON; `secretHash` null: it cannot keep a secret.
 */
export interface OauthClientsTable {
  clientId: string;
  clientName: string;
  redirectUris: string;
  authMethod: 'none' | 'client_secret_basic' | 'client_secret_post';
  secretHash: string | null;
  registeredAt: string;
  fetchedAt: string | null;
}

/** What an account lets a client do. `redirectUri` is where it was sent then; `platforms` is JSON, null: all of them. */
export interface McpAuthorizationsTable {
  id: string;
  accountId: string;
  clientId: string;
  redirectUri: string;
  platforms: string | null;
  /** The session in which it was approved last; null: not known. */
  sessionId: string | null;
  createdAt: string;
  lastUsedAt: string | null;
}

export interface AgentAuthorizationsTable {
  agentId: string;
  authorizationId: string;
}

/** It begins as a code and, once that is redeemed, lives as its tokens; `resource` is where they are good for. */
export interface OauthGrantsTable {
  id: string;
  accountId: string;
  authorizationId: string;
  redirectUri: string;
  codeHash: string;
  codeChallenge: string;
  resource: string;
  createdAt: string;
  codeExpiresAt: string;
  redeemedAt: string | null;
  /** Platforms that the last refresh asked for, as JSON; null: all that the authorization allows. */
  narrowedTo: string | null;
}

/**
 * A refresh token that was `spent` stays until it expires: whoever comes with it again has stolen it, or was robbed. Only
 * its client may repeat it for a minute: `sealedSuccessor` is what it got, sealed under the token itself.
 */
export interface OauthTokensTable {
  tokenHash: string;
  accountId: string;
  grantId: string;
  kind: 'access' | 'refresh';
  createdAt: string;
  expiresAt: string;
  spentAt: string | null;
  sealedSuccessor: string | null;
}

/** Kinds of platform accounts that an agent can own. */
export type MemberType = 'connection' | 'bot_token' | 'sip_number';

/** Platform accounts of an agent; `memberId` names a row of the table that `memberType` stands for. */
export interface AgentAccountsTable {
  agentId: string;
  memberType: MemberType;
  memberId: string;
}

export type CallState = 'connecting' | 'ringing' | 'active' | 'refused' | 'ended' | 'disconnected' | 'missed';
export type CallDirection = 'inbound' | 'outbound';

/** `endedAt` is null exactly while the call lives. `agentId` is null once the agent was deleted. */
export interface CallsTable {
  callId: string;
  accountId: string;
  agentId: string | null;
  roomId: string;
  participantId: string;
  platform: Platform;
  meetingUrl: string;
  agentName: string;
  direction: CallDirection;
  caller: string;
  sampleRateHz: number;
  state: CallState;
  createdAt: string;
  answeredAt: string | null;
  endedAt: string | null;
  terminationResult: TerminationResult | null;
  terminationReason: string | null;
}

export type CallRow = Selectable<CallsTable>;

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

/**
 * The account's feed, in the order of `id`; `agentId` null: for all agents. `payload` is JSON; `platform` is where it
 * happened, `messageSeq` the message that it tells of, if it tells of one.
 */
export interface EventsTable {
  id: GeneratedAlways<number>;
  accountId: string;
  agentId: string | null;
  type: string;
  payload: string;
  createdAt: string;
  messageSeq: number | null;
  platform: MessagePlatform | null;
  /** Its time in cursors, which no other event of the account has; null: it is named by its message. */
  cursorTime: string | null;
}

export type ConversationStatus = 'active' | 'closed';

/** Where messages go: `agent` stands for the agents of one account among themselves. */
export type MessagePlatform = Platform | 'agent';

/**
 * One person at one platform account, or two agents and a task. `lastSeq` is the newest message's; `alias` another
 * name of the person, by which the platform may still call them.
 */
export interface ConversationsTable {
  id: string;
  accountId: string;
  platform: MessagePlatform;
  memberType: MemberType | null;
  memberId: string | null;
  agentId: string | null;
  peerAgentId: string | null;
  task: string;
  remoteId: string;
  alias: string | null;
  remoteName: string | null;
  status: ConversationStatus;
  createdAt: string;
  lastInboundAt: string | null;
  /**
   * Why nothing can be written although somebody might have been in time: `closed`, the platform says so; `asked`, and a
   * template has asked them to write. Null: as `lastInboundAt` tells.
   */
  closure: 'closed' | 'asked' | null;
  lastSeq: number;
}

export type MessageDirection = 'inbound' | 'outbound';

/**
 * `received` is an inbound one. Outbound: `sending` until the platform has answered, `pending` until the other side
 * writes, then `delivered`, `failed`, `unknown` (nobody can tell whether it arrived), or `dropped` (pending too long).
 */
export type MessageStatus =
  | 'received'
  | 'sending'
  | 'pending'
  | 'delivered'
  | 'failed'
  | 'unknown'
  | 'dropped';

/** `seq` orders the messages of the whole gateway; `createdAt` never runs backwards beside it. */
export interface MessagesTable {
  seq: GeneratedAlways<number>;
  id: string;
  accountId: string;
  conversationId: string;
  direction: MessageDirection;
  /** The agent that wrote it; null: a person did, or the gateway itself. */
  senderAgentId: string | null;
  text: string;
  status: MessageStatus;
  error: string | null;
  createdAt: string;
  changedAt: string;
  /**
   * Of a message that waits until the other side writes: when it is given up; it stays until agents were told what became
   * of it. Of an inbound one: until when its event waits behind such messages.
   */
  expiresAt: string | null;
  /**
   * Of a message that is sent in the background: `waiting` while the platform certainly has nothing of it, `begun` from
   * the first attempt on. Null: its sender waits for the outcome.
   */
  background: 'waiting' | 'begun' | null;
}

/**
 * `reserved`: its upload has not come; `stored`: its bytes are on disk; `remote`: they are fetched from the platform
 * when asked for; `gone`: nobody has them any more. Token and slot are secrets, kept as SHA-256.
 */
export interface FilesTable {
  id: string;
  accountId: string;
  origin: 'upload' | 'inbound';
  name: string;
  mime: string;
  sizeBytes: number | null;
  tokenHash: string;
  sealedToken: string;
  state: 'reserved' | 'stored' | 'remote' | 'gone';
  slotHash: string | null;
  slotExpiresAt: string | null;
  /** Where the platform keeps it, of an inbound one. */
  platform: Platform | null;
  loginKey: string | null;
  remoteRef: string | null;
  createdAt: string;
  cachedUntil: string | null;
  expiresAt: string;
}

/** What a platform calls a message; several names where it was sent in parts. */
export interface PlatformMessagesTable {
  platformMessageId: string;
  conversationId: string;
  messageSeq: number;
}

export interface AttachmentsTable {
  messageSeq: number;
  position: number;
  fileId: string;
}

/**
 * A request that came with an `Idempotency-Key`. What was asked and what was answered are sealed: a body may hold a
 * password, an answer a key. `status` null: there is no answer yet, or never will be; `subject`: the id of what the
 * request has made so far.
 */
export interface IdempotentRequestsTable {
  accountId: string;
  credentialId: string;
  key: string;
  sealedRequest: string;
  subject: string | null;
  status: number | null;
  sealedAnswer: string | null;
  createdAt: string;
}

/** How far a login has read what the platform has for it. */
export interface LoginPositionsTable {
  platform: Platform;
  loginKey: string;
  position: string;
}

/** Single facts about the database itself. */
export interface FactsTable {
  name: string;
  value: string;
}
