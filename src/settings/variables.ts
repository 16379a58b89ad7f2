import { availableParallelism } from 'node:os';
import * as z from 'zod';
import { BRIDGE_VARIABLES } from './bridge-variables.ts';
import { BUDGET_VARIABLES } from './budget-variables.ts';
import { CALL_VARIABLES } from './call-variables.ts';
import { DISCORD_VARIABLES } from './discord-variables.ts';
import { MEET_VARIABLES } from './meet-variables.ts';
import { NCTALK_VARIABLES } from './nctalk-variables.ts';
import { OIDC_ROWS } from './oidc-providers.ts';
import { SLACK_VARIABLES } from './slack-variables.ts';
import { TEAMS_VARIABLES } from './teams-variables.ts';
import {
  BootstrapKey,
  Host,
  LogLevel,
  MAX_PORT,
  MailFrom,
  MasterKey,
  OriginList,
  ProxyList,
  PublicUrl,
  SmtpUrl,
  TelegramToken,
  wholeNumber,
} from './values.ts';
import { VENDOR_VARIABLES } from './vendor-variables.ts';
import { WHATSAPP_VARIABLES } from './whatsapp-variables.ts';
import { ZOOM_VARIABLES } from './zoom-variables.ts';

/** Declaration of one `SVC_*` variable: meaning, default and parser. */
export interface Variable {
  readonly meaning: string;
  /** Default as text, parsed like a value given by the operator. Null: the setting is absent. */
  readonly default: string | null;
  /** Text shown in the documentation instead of the default. */
  readonly shownDefault?: string;
  /** Whether to keep the value out of messages. */
  readonly secret?: true;
  readonly schema: z.ZodType<unknown, string>;
}

/** Origins of hosted assistants that connect to MCP servers from a browser. */
const ASSISTANT_ORIGINS = [
  'https://claude.ai',
  'https://claude.com',
  'https://chatgpt.com',
  'https://chat.openai.com',
  'https://gemini.google.com',
  'https://copilot.microsoft.com',
  'https://chat.mistral.ai',
  'https://www.perplexity.ai',
  'https://grok.com',
];

/**
 * With one or two cores, main and media threads already share them. A stream thread takes half of what a media thread
 * does for the same calls (bench/README.md).
 */
function defaultStreamThreads(cores: number): number {
  return cores <= 2 ? 0 : Math.max(1, Math.floor(cores / 4));
}

/** All settings of the gateway. Nothing else reads the environment. */
export const VARIABLES = {
  SVC_HOST: { default: '127.0.0.1', schema: Host, meaning: 'Address that HTTP listens on' },
  SVC_PORT: {
    default: '8080',
    schema: wholeNumber(0, MAX_PORT),
    meaning: 'Port that HTTP listens on; 0 picks a free one',
  },
  SVC_PUBLIC_URL: {
    default: null,
    shownDefault: 'from host and port',
    schema: PublicUrl,
    meaning:
      'URL of the gateway as clients see it, with its path if it has one; every URL that the gateway hands out starts with it',
  },
  SVC_DATA_DIR: {
    default: './data',
    schema: z.string(),
    meaning: 'Directory of the database, the files and `master.key`',
  },
  ...CALL_VARIABLES,
  ...BUDGET_VARIABLES,
  SVC_DM_TIMEOUT_TEXT: {
    default: 'Sorry, there is no answer yet. Please write again if you still need one.',
    schema: z.string().max(1_000, 'must have at most 1000 characters'),
    meaning:
      'Text sent to a person whose direct message got no reply within 60 s, unless the agent has its own `timeout_text`; `off` sends nothing',
  },
  SVC_MESSAGES_KEEP_DAYS: {
    default: null,
    shownDefault: 'forever',
    schema: wholeNumber(1, 36_500),
    meaning: 'Days after which messages are deleted, except those still waiting to be sent',
  },
  SVC_CALLS_KEEP_DAYS: {
    default: null,
    shownDefault: 'forever',
    schema: wholeNumber(1, 36_500),
    meaning: 'Days after which ended calls are deleted, with their transcripts',
  },
  SVC_ENGINE_THREADS: {
    default: String(Math.max(1, availableParallelism() - 1)),
    shownDefault: 'cores − 1, at least 1',
    schema: wholeNumber(1, 1_024),
    meaning: 'Number of media threads',
  },
  SVC_STREAM_THREADS: {
    default: String(defaultStreamThreads(availableParallelism())),
    shownDefault: 'a quarter of the cores, at least 1; 0 with one or two cores',
    schema: wholeNumber(0, 64),
    meaning: 'Number of threads for the audio of call WebSockets; 0 leaves them to the main thread',
  },
  SVC_ENGINE_CALLS_PER_THREAD: {
    default: '10000',
    schema: wholeNumber(1, 1_000_000),
    meaning: 'Maximum number of calls on one media thread; 1 gives every call its own thread',
  },
  SVC_MAX_JITTER_DELAY_MS: {
    default: '400',
    schema: wholeNumber(40, 400),
    meaning:
      'Longest delay that a jitter buffer aims at on a path that needs it, such as a mobile network, 40 to 400',
  },
  SVC_MEDIA_IO: {
    default: 'auto',
    schema: z.enum(['auto', 'native', 'portable'], 'must be one of auto, native, portable'),
    meaning:
      'How RTP is sent and received: native (C, Linux, less CPU), portable (Node only), or auto: native where it was built',
  },
  ...DISCORD_VARIABLES,
  ...WHATSAPP_VARIABLES,
  ...SLACK_VARIABLES,
  ...TEAMS_VARIABLES,
  ...MEET_VARIABLES,
  ...ZOOM_VARIABLES,
  ...NCTALK_VARIABLES,
  ...BRIDGE_VARIABLES,
  ...VENDOR_VARIABLES,
  SVC_BOOTSTRAP_AGENT_KEY: {
    default: null,
    secret: true,
    schema: BootstrapKey,
    meaning:
      'Agent key that is valid from the first start, for unattended installs (`svc_…`, at least 32 characters)',
  },
  SVC_BOOTSTRAP_SETTINGS_KEY: {
    default: null,
    secret: true,
    schema: BootstrapKey,
    meaning: 'Settings key that is valid from the first start (`svc_…`, at least 32 characters)',
  },
  SVC_SIGNUP: {
    default: 'invite',
    schema: z.enum(['open', 'invite', 'closed'], 'must be one of open, invite, closed'),
    meaning: 'Who may sign up: anyone (open), anyone with SVC_SIGNUP_CODE (invite), or no one (closed)',
  },
  SVC_SIGNUP_CODE: {
    default: null,
    secret: true,
    schema: z.string().min(8, 'must have 8 to 256 characters').max(256, 'must have 8 to 256 characters'),
    meaning: 'The `invite_code` for signing up by invitation; without it, no invitation is valid',
  },
  SVC_SMTP_URL: {
    default: null,
    secret: true,
    schema: SmtpUrl,
    meaning:
      'SMTP server with its login (`smtps://user:password@host:port` or `smtp://…`); without it, mail is written to disk instead of being sent',
  },
  SVC_MAIL_FROM: {
    default: null,
    schema: MailFrom,
    meaning: 'Sender of mail, `Name <address>`; required with SVC_SMTP_URL',
  },
  SVC_LOGIN_ATTEMPTS: {
    default: '10',
    schema: wholeNumber(1, 1_000_000),
    meaning:
      'Wrong passwords that one IP address may try for one account before it has to wait, twice as long each time. Ten times as many are allowed from one IP address for all accounts in 15 minutes (40 times from a /24, or a /48 of IPv6), and for one account from all addresses in an hour; more answer 429',
  },
  SVC_TRUSTED_PROXIES: {
    default: null,
    schema: ProxyList,
    meaning:
      'Comma-separated addresses or subnets of reverse proxies whose `X-Forwarded-For` header is trusted',
  },
  SVC_TELEGRAM_BOT_TOKEN: {
    default: null,
    secret: true,
    schema: TelegramToken,
    meaning:
      'Token of a Telegram bot that all accounts share (from @BotFather); without it, accounts register their own bots',
  },
  SVC_TELEGRAM_UPDATES: {
    default: 'polling',
    schema: z.enum(['polling', 'webhook'], 'must be one of polling, webhook'),
    meaning:
      'How updates arrive from Telegram: the gateway fetches them (polling), or Telegram posts them to SVC_PUBLIC_URL over https (webhook)',
  },
  SVC_TELEGRAM_API_URL: {
    default: 'https://api.telegram.org',
    schema: PublicUrl,
    meaning: "Telegram's Bot API, or your own server",
  },
  SVC_TELEGRAM_FILE_URL: {
    default: null,
    shownDefault: '`/file` below the Bot API',
    schema: PublicUrl,
    meaning: 'Where files that people send on Telegram are downloaded from',
  },
  SVC_MCP_ALLOWED_ORIGINS: {
    default: ASSISTANT_ORIGINS.join(','),
    shownDefault: 'hosted assistants (claude.ai, chatgpt.com and others)',
    schema: OriginList,
    meaning:
      "Comma-separated origins of web pages that may use MCP from a browser, besides the gateway's own; other programs send no origin",
  },
  SVC_MCP_SESSION_IDLE_S: {
    default: '1800',
    schema: wholeNumber(1, 604_800),
    meaning: 'Seconds after which an MCP session (`?stateful`) without requests or open streams ends',
  },
  SVC_MCP_SESSIONS_PER_ACCOUNT: {
    default: '100',
    schema: wholeNumber(1, 10_000),
    meaning:
      'MCP sessions per account; a new one replaces the least recently used, and answers 429 while all are in use',
  },
  SVC_MCP_FAST_PATH: {
    default: 'on',
    schema: z.enum(['on', 'off'], 'must be one of on, off'),
    meaning:
      '`on` answers common MCP requests without the MCP SDK, about ten times as fast and with the same bytes; `off` leaves every request to the SDK',
  },
  SVC_MASTER_KEY: {
    default: null,
    shownDefault: '`master.key` in the data directory',
    secret: true,
    schema: MasterKey,
    meaning: 'Key that encrypts the secrets in the database: 32 bytes in base64 or hex',
  },
  SVC_NEW_DATABASE: {
    default: null,
    schema: z.enum(['0', '1'], 'must be 0 or 1'),
    meaning:
      '1 allows a start with an existing `master.key` and no database; otherwise the start is refused, because the database was probably lost',
  },
  SVC_DATABASE_ACCOUNT_QUOTA_MB: {
    default: '512',
    schema: wholeNumber(1, 100_000_000),
    meaning:
      'What one account may store in the database in MiB: messages, events, transcripts and the like; more answers 507. Messages of people are stored up to 10 % more, then the oldest events of the account are deleted for them',
  },
  SVC_LOG_LEVEL: {
    default: 'info',
    schema: LogLevel,
    meaning: 'Lowest level that is logged: trace, debug, info, warn, error, fatal or silent',
  },
  SVC_HTTP_SERVER: {
    default: null,
    shownDefault: 'uws; node if uws cannot be loaded',
    schema: z.enum(['uws', 'node'], 'must be one of uws, node'),
    meaning:
      "Library that serves HTTP and WebSockets: uWebSockets.js (uws), or Node's http with the ws package (node), which is slower and parses strictly",
  },
  SVC_NETWORK_CONNECTIONS: {
    default: '2000',
    schema: wholeNumber(1, 1_000_000),
    meaning:
      'HTTP and WebSocket connections that one network may have open: a /24, or a /48 of IPv6. More are closed at once. Trusted proxies may have any number (SVC_TRUSTED_PROXIES)',
  },
  SVC_HTTP_BODY_LIMIT_KB: {
    default: '1024',
    schema: wholeNumber(1, 102_400),
    meaning: 'Maximum size of a JSON body in KiB, except for files; more answers 413',
  },
  SVC_FILES_MAX_SIZE_MB: {
    default: '25',
    schema: wholeNumber(1, 2_000),
    meaning: 'Maximum size of a file in MiB, however it arrives; more answers 413',
  },
  SVC_FILES_ACCOUNT_QUOTA_MB: {
    default: '1024',
    schema: wholeNumber(1, 100_000_000),
    meaning: 'Disk space for the uploads of one account in MiB; more answers 507',
  },
  SVC_FILES_DISK_QUOTA_MB: {
    default: '10240',
    schema: wholeNumber(1, 100_000_000),
    meaning:
      'Disk space for all files in MiB; cached copies of platform files are deleted first, then more answers 507',
  },
  SVC_FILES_FETCH_ALLOW: {
    default: null,
    schema: ProxyList,
    meaning: 'Comma-separated non-public addresses or subnets from which files may be fetched by URL',
  },
} as const satisfies Readonly<Record<string, Variable>>;

export type VariableName = keyof typeof VARIABLES;

type Value<V> = V extends { default: infer D; schema: z.ZodType<infer T> }
  ? T | (D extends null ? null : never)
  : never;
/** What the variables say, each valid on its own. */
export type Values = { readonly [Name in VariableName]: Value<(typeof VARIABLES)[Name]> };

/** Documentation rows for all variables, exactly as shown in the README. */
export function describeVariables(): { name: string; default: string; meaning: string }[] {
  const rows = Object.entries<Variable>(VARIABLES).map(
    ([name, { default: text, shownDefault, meaning }]) => ({
      name,
      default: shownDefault ?? text ?? 'none',
      meaning,
    }),
  );
  return [...rows, ...OIDC_ROWS];
}
