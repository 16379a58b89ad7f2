import type { Kysely } from 'kysely';
import type {
  AgentAccountsTable,
  AgentProvidersTable,
  AgentsTable,
  DeliveriesTable,
  InternalBearersTable,
} from '../agents/agent-tables.ts';
import type {
  AgentAuthorizationsTable,
  AgentKeysTable,
  ApiKeysTable,
  IdempotentRequestsTable,
  McpAuthorizationsTable,
  OauthClientsTable,
  OauthGrantsTable,
  OauthTokensTable,
} from '../keys/key-tables.ts';
import type {
  BotOwnersTable,
  BotTokensTable,
  ConnectionsTable,
  LoginPositionsTable,
  OwnerCodesTable,
  SipDidsTable,
  SipTrunksTable,
} from '../logins/login-tables.ts';
import type {
  AttachmentsTable,
  CallsTable,
  ConversationsTable,
  EventsTable,
  FilesTable,
  MessagesTable,
  PlatformMessagesTable,
} from '../messages/message-tables.ts';
import type {
  AccountsTable,
  AuditLogTable,
  FeedbackTable,
  IdentitiesTable,
  InviteLinksTable,
  KnownBrowsersTable,
  MailTokensTable,
  SessionsTable,
  SignInsTable,
  UsageDaysTable,
} from '../people/people-tables.ts';

/**
 * The tables as TypeScript types. Database columns are snake_case. Timestamps are ISO 8601 in UTC with milliseconds, so
 * they sort chronologically. SQLite has no booleans, so 0 and 1 are used.
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

/** The database, or a transaction in it. Functions of the store take either. */
export type Db = Kysely<Tables>;

/** Facts about the database itself. */
interface FactsTable {
  name: string;
  value: string;
}
