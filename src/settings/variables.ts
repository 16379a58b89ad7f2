import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import * as z from 'zod';
import { OIDC_ROWS } from './oidc-providers.ts';

/** One `SVC_*` variable: what it means, what it is when it is not set, and how its text becomes a value. */
export interface Variable<Value = unknown, Default extends string | null = string | null> {
  readonly meaning: string;
  /** Read like a text that the operator gave; null: the setting is absent. */
  readonly default: Default;
  /** What the documentation shows instead of the default. */
  readonly shownDefault?: string;
  /** The value is never repeated in a message. */
  readonly secret?: true;
  readonly schema: z.ZodType<Value, string>;
}

function variable<Value, Default extends string | null>(
  declared: Variable<Value, Default>,
): Variable<Value, Default> {
  return declared;
}

const MAX_PORT = 65_535;
const MASTER_KEY_BYTES = 32;

const Host = z.union([z.ipv4(), z.ipv6(), z.hostname()], 'must be a host name or an IP address');
const IpAddress = z.union([z.ipv4(), z.ipv6()], 'must be an IP address');

function wholeNumber(min: number, max: number): z.ZodType<number, string> {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message);
}

const PublicUrl = z.string().transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash) {
    return url.href.replace(/(?<!\/)\/+$/, '');
  }
  context.addIssue('must be an http or https URL without user name, query or fragment');
  return z.NEVER;
});

const MasterKey = z.string().transform((text, context) => {
  const key = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64');
  if (key.length === MASTER_KEY_BYTES && /^[\w+/=-]+$/.test(text)) return key;
  context.addIssue(
    `must be ${MASTER_KEY_BYTES} bytes in base64 or hex, for example from "openssl rand -base64 32"`,
  );
  return z.NEVER;
});

const BootstrapKey = z
  .string()
  .regex(/^svc_[\w-]{28,252}$/, 'must be "svc_" and letters, digits, - or _, 32 to 256 characters in all');

/** The text of a PEM file that holds a `what`. */
function pemFile(what: RegExp, plural: string): z.ZodType<string, string> {
  return z.string().transform((path, context) => {
    try {
      const pem = readFileSync(path, 'utf8');
      if (what.test(pem)) return pem;
      context.addIssue(`must be a file of ${plural} in PEM`);
    } catch (error) {
      context.addIssue(`must be a file that can be read (${(error as NodeJS.ErrnoException).code})`);
    }
    return z.NEVER;
  });
}

const CertificateFile = pemFile(/-----BEGIN CERTIFICATE-----/, 'certificates');
const PrivateKeyFile = pemFile(/-----BEGIN (\w+ )?PRIVATE KEY-----/, 'a private key');

const CODECS = ['opus', 'PCMU', 'PCMA'] as const;

const CodecList = z.string().transform((text, context) => {
  const names = text.split(',').map((name) => name.trim());
  const codecs = names.map((name) => CODECS.find((codec) => codec.toLowerCase() === name.toLowerCase()));
  const known = codecs.filter((codec) => codec !== undefined);
  if (known.length < codecs.length) {
    context.addIssue(`must be one or more of ${CODECS.join(', ')}, with commas between`);
  } else if (new Set(known).size < known.length) {
    context.addIssue('must name no codec twice');
  }
  return known;
});

const TelegramToken = z
  .string()
  .regex(/^[1-9]\d{0,19}:[\w-]{1,128}$/, 'must be a token as @BotFather gives them, digits:letters');

const SmtpUrl = z.string().refine((text) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '';
}, 'must be an smtp or smtps URL, for example "smtps://user:password@mail.example.com"');

const MailFrom = z
  .string()
  .regex(
    /^(?:[^\s<>@]+@[^\s<>@]+|[^<>\r\n]+ <[^\s<>@]+@[^\s<>@]+>)$/,
    'must be a mail address, or "Name <address>"',
  );

const PROXY = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

const ProxyList = z.string().transform((text, context) => {
  const proxies = text.split(',').map((proxy) => proxy.trim());
  if (proxies.every((proxy) => PROXY.safeParse(proxy).success)) return proxies;
  context.addIssue('must be IP addresses or subnets (10.0.0.0/8), with commas between');
  return z.NEVER;
});

/** An account's right to the calls that come from an address. */
export interface TrunkBinding {
  /** An account's id, or `operator`. */
  readonly account: string;
  /** An IP address or a subnet. */
  readonly subnet: string;
}

const TrunkBindings = z.string().transform((text, context) => {
  const bindings = text.split(',').map((each): TrunkBinding => {
    const [account = '', subnet = ''] = each.trim().split('=', 2);
    return { account, subnet };
  });
  for (const { account, subnet } of bindings) {
    if (!/^(?:operator|acc_[\w-]{1,64})$/.test(account) || !PROXY.safeParse(subnet).success) {
      context.addIssue(
        'must be account=address or account=subnet, with commas between, the account being "operator" or its id (acc_…)',
      );
      return z.NEVER;
    }
  }
  const subnets = bindings.map(({ subnet }) => subnet.toLowerCase());
  const twice = subnets.find((subnet, index) => subnets.indexOf(subnet) !== index);
  if (twice !== undefined) context.addIssue(`must name ${twice} once: its calls are one account's`);
  return bindings;
});

const OriginList = z.string().transform((text, context) => {
  const origins = text.split(',').map((origin) => origin.trim());
  if (origins.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin)) return origins;
  context.addIssue('must be origins (https://host, or with a port), with commas between');
  return z.NEVER;
});

/** Where the assistants run that connect to MCP servers from a browser. */
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

const LogLevel = z.enum(
  ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
  'must be one of trace, debug, info, warn, error, fatal, silent',
);

/** Every setting of the gateway; nothing else reads the environment. */
export const VARIABLES = {
  SVC_HOST: variable({ default: '127.0.0.1', schema: Host, meaning: 'Address that HTTP listens on' }),
  SVC_PORT: variable({
    default: '8080',
    schema: wholeNumber(0, MAX_PORT),
    meaning: 'Port that HTTP listens on; 0 picks a free one',
  }),
  SVC_PUBLIC_URL: variable({
    default: null,
    shownDefault: 'from host and port',
    schema: PublicUrl,
    meaning:
      'URL of the gateway as clients see it, with its path if it has one; every URL that the gateway hands out starts with it',
  }),
  SVC_DATA_DIR: variable({
    default: './data',
    schema: z.string(),
    meaning: 'Directory of the database, the files and `master.key`',
  }),
  SVC_SIP_HOST: variable({
    // A trunk calls from outside, so loopback would make every real trunk fail; strangers get no answer anyway.
    default: '0.0.0.0',
    schema: IpAddress,
    meaning: 'Address that SIP and RTP listen on; only configured trunks get an answer',
  }),
  SVC_SIP_PORT: variable({
    default: '5060',
    schema: wholeNumber(0, MAX_PORT),
    meaning: 'SIP port, UDP and TCP. Unset: 5060, or the next free port if it is taken; 0 picks a free one',
  }),
  SVC_SIP_ADVERTISED_HOST: variable({
    default: null,
    shownDefault: 'the address that faces the trunk',
    schema: IpAddress,
    meaning: 'Public address for SIP and SDP when the gateway is behind NAT',
  }),
  SVC_SIP_TLS_CA_FILE: variable({
    default: null,
    schema: CertificateFile,
    meaning: 'CA certificates (PEM) to trust for TLS to trunks, besides the public ones',
  }),
  SVC_SIP_TLS_CERT_FILE: variable({
    default: null,
    schema: CertificateFile,
    meaning: 'Certificate chain (PEM) for trunks that call in over TLS; without it, nothing listens for TLS',
  }),
  SVC_SIP_TLS_KEY_FILE: variable({
    default: null,
    schema: PrivateKeyFile,
    meaning: 'Private key (PEM) of that certificate',
  }),
  SVC_SIP_TLS_PORT: variable({
    default: '5061',
    schema: wholeNumber(0, MAX_PORT),
    meaning: 'SIP port for TLS, if there is a certificate; 0 picks a free one',
  }),
  SVC_SIP_NUMBERS_PER_ACCOUNT: variable({
    default: '1000',
    schema: wholeNumber(1, 100_000),
    meaning: 'Phone numbers per account; more answer 409',
  }),
  SVC_SIP_TRUNK_ALLOW: variable({
    default: null,
    schema: ProxyList,
    meaning:
      'Comma-separated addresses or subnets that the trunks of all accounts may use although they are not public; link-local and metadata addresses stay blocked',
  }),
  SVC_SIP_TRUNK_BINDINGS: variable({
    default: null,
    schema: TrunkBindings,
    meaning:
      'Which account owns calls from which address, for providers that cannot call the secret URI: comma-separated `account=address` or `account=subnet`, where the account is an `account_id` or `operator`',
  }),
  SVC_SIP_CODECS: variable({
    default: 'PCMU,PCMA',
    schema: CodecList,
    meaning:
      "Codecs of SIP calls (opus, PCMU, PCMA), in the order of our offers; for inbound calls the caller's order counts",
  }),
  SVC_RTP_PORT_MIN: variable({
    default: '20000',
    schema: wholeNumber(1_024, MAX_PORT),
    meaning: 'First UDP port for RTP; a call uses two',
  }),
  SVC_RTP_PORT_MAX: variable({
    default: '29999',
    schema: wholeNumber(1_024, MAX_PORT),
    meaning: 'Last UDP port for RTP',
  }),
  SVC_MEDIA_TIMEOUT_S: variable({
    default: '45',
    schema: wholeNumber(5, 3_600),
    meaning: 'Seconds without a packet from the far end before a call is ended; does not apply on hold',
  }),
  SVC_MAX_CALLS_PER_ACCOUNT: variable({
    default: '500',
    schema: wholeNumber(1, 100_000),
    meaning: 'Concurrent calls per account; more answer 429',
  }),
  SVC_MAX_CALL_MINUTES: variable({
    default: '240',
    schema: wholeNumber(1, 10_080),
    meaning: 'Maximum length of a call in minutes; then the gateway hangs up',
  }),
  SVC_DM_TIMEOUT_TEXT: variable({
    default: 'No answer yet, sorry: this takes longer than usual. You will get one here.',
    schema: z.string().max(1_000, 'must have at most 1000 characters'),
    meaning:
      'Text sent to a person whose direct message got no reply within 60 s, unless the agent has its own `timeout_text`; `off` sends nothing',
  }),
  SVC_MESSAGES_KEEP_DAYS: variable({
    default: null,
    shownDefault: 'forever',
    schema: wholeNumber(1, 36_500),
    meaning: 'Days after which messages are deleted, except those still waiting to be sent',
  }),
  SVC_ENGINE_THREADS: variable({
    default: String(Math.max(1, availableParallelism() - 1)),
    shownDefault: 'cores − 1, at least 1',
    schema: wholeNumber(1, 1_024),
    meaning: 'Number of media threads',
  }),
  SVC_ENGINE_CALLS_PER_THREAD: variable({
    default: '10000',
    schema: wholeNumber(1, 1_000_000),
    meaning: 'Maximum number of calls on one media thread; 1 gives every call its own thread',
  }),
  SVC_MEDIA_IO: variable({
    default: 'auto',
    schema: z.enum(['auto', 'native', 'portable'], 'must be one of auto, native, portable'),
    meaning:
      'How RTP is sent and received: native (C, Linux, less CPU), portable (Node only), or auto: native where it was built',
  }),
  SVC_WHATSAPP_PHONE_NUMBER_ID: variable({
    default: null,
    schema: z
      .string()
      .regex(/^\d{1,32}$/, 'must be digits: the id that Meta gave the number, not the number'),
    meaning:
      'Id of the WhatsApp number that all accounts share, from the app dashboard; needs the three secrets below',
  }),
  SVC_WHATSAPP_ACCESS_TOKEN: variable({
    default: null,
    secret: true,
    schema: z.string(),
    meaning: 'Permanent token of a system user with `whatsapp_business_messaging`',
  }),
  SVC_WHATSAPP_APP_SECRET: variable({
    default: null,
    secret: true,
    schema: z.string(),
    meaning: 'Secret of the Meta app; Meta signs webhooks with it',
  }),
  SVC_WHATSAPP_VERIFY_TOKEN: variable({
    default: null,
    secret: true,
    schema: z.string().min(16, 'must have 16 characters or more'),
    meaning:
      'Text of your choice, at least 16 characters, that you also enter at Meta with the webhook `…/api/whatsapp/webhook/shared`',
  }),
  SVC_WHATSAPP_TEMPLATE_LANGUAGE: variable({
    default: 'en',
    schema: z.string().regex(/^[a-z]{2,3}(_[A-Z]{2})?$/, 'must be a language as Meta writes it: en, en_US'),
    meaning: 'Language of the template `agent_followup`, which asks people to write again after 24 hours',
  }),
  SVC_WHATSAPP_API_URL: variable({
    default: 'https://graph.facebook.com',
    schema: PublicUrl,
    meaning: "Meta's Graph API",
  }),
  SVC_WHATSAPP_API_VERSION: variable({
    default: 'v25.0',
    schema: z.string().regex(/^v\d{1,3}\.\d{1,2}$/, 'must be a version such as v25.0'),
    meaning: 'Version of the Graph API',
  }),
  SVC_WHATSAPP_MEDIA_URL: variable({
    default: 'https://lookaside.fbsbx.com',
    schema: PublicUrl,
    meaning: 'Host that files are downloaded from; only this host and the API receive the access token',
  }),
  SVC_BOOTSTRAP_AGENT_KEY: variable({
    default: null,
    secret: true,
    schema: BootstrapKey,
    meaning:
      'Agent key that is valid from the first start, for unattended installs (`svc_…`, at least 32 characters)',
  }),
  SVC_BOOTSTRAP_SETTINGS_KEY: variable({
    default: null,
    secret: true,
    schema: BootstrapKey,
    meaning: 'Settings key that is valid from the first start (`svc_…`, at least 32 characters)',
  }),
  SVC_SIGNUP: variable({
    default: 'invite',
    schema: z.enum(['open', 'invite', 'closed'], 'must be one of open, invite, closed'),
    meaning: 'Who may sign up: anyone (open), anyone with SVC_SIGNUP_CODE (invite), or nobody (closed)',
  }),
  SVC_SIGNUP_CODE: variable({
    default: null,
    secret: true,
    schema: z.string().min(8, 'must have 8 to 256 characters').max(256, 'must have 8 to 256 characters'),
    meaning: 'The `invite_code` for signing up by invitation; without it, no invitation is valid',
  }),
  SVC_SMTP_URL: variable({
    default: null,
    secret: true,
    schema: SmtpUrl,
    meaning:
      'SMTP server with its login (`smtps://user:password@host:port` or `smtp://…`); without it, mail is written to disk instead of being sent',
  }),
  SVC_MAIL_FROM: variable({
    default: null,
    schema: MailFrom,
    meaning: 'Sender of mail, `Name <address>`; required with SVC_SMTP_URL',
  }),
  SVC_LOGIN_ATTEMPTS: variable({
    default: '10',
    schema: wholeNumber(1, 1_000_000),
    meaning:
      'Wrong passwords that one IP address may try for one account before it has to wait, twice as long each time. Ten times as many: for one IP address and all accounts in 15 minutes, and for one account from all addresses in an hour; more answer 429',
  }),
  SVC_TRUSTED_PROXIES: variable({
    default: null,
    schema: ProxyList,
    meaning: 'Comma-separated addresses or subnets of reverse proxies whose `X-Forwarded-For` is believed',
  }),
  SVC_TELEGRAM_BOT_TOKEN: variable({
    default: null,
    secret: true,
    schema: TelegramToken,
    meaning:
      'Token of a Telegram bot that all accounts share (from @BotFather); without it, accounts register their own bots',
  }),
  SVC_TELEGRAM_UPDATES: variable({
    default: 'polling',
    schema: z.enum(['polling', 'webhook'], 'must be one of polling, webhook'),
    meaning:
      'How updates arrive from Telegram: the gateway fetches them (polling), or Telegram posts them to SVC_PUBLIC_URL over https (webhook)',
  }),
  SVC_TELEGRAM_API_URL: variable({
    default: 'https://api.telegram.org',
    schema: PublicUrl,
    meaning: "Telegram's Bot API, or your own server",
  }),
  SVC_TELEGRAM_FILE_URL: variable({
    default: null,
    shownDefault: '`/file` below the Bot API',
    schema: PublicUrl,
    meaning: 'Where files that people send on Telegram are downloaded from',
  }),
  SVC_MCP_ALLOWED_ORIGINS: variable({
    default: ASSISTANT_ORIGINS.join(','),
    shownDefault: 'hosted assistants (claude.ai, chatgpt.com and others)',
    schema: OriginList,
    meaning:
      "Comma-separated origins of web pages that may use MCP from a browser, besides the gateway's own; other programs send no origin",
  }),
  SVC_MCP_SESSION_IDLE_S: variable({
    default: '1800',
    schema: wholeNumber(1, 604_800),
    meaning: 'Seconds after which an unused MCP session (`?stateful`) ends: no request, no open stream',
  }),
  SVC_MCP_SESSIONS_PER_ACCOUNT: variable({
    default: '100',
    schema: wholeNumber(1, 10_000),
    meaning:
      'MCP sessions per account; a new one replaces the least recently used, and answers 429 while all are in use',
  }),
  SVC_MCP_FAST_PATH: variable({
    default: 'on',
    schema: z.enum(['on', 'off'], 'must be one of on, off'),
    meaning:
      '`on` answers common MCP requests without the MCP SDK, about ten times as fast and with the same bytes; `off` leaves every request to the SDK',
  }),
  SVC_MASTER_KEY: variable({
    default: null,
    shownDefault: '`master.key` in the data directory',
    secret: true,
    schema: MasterKey,
    meaning: 'Key that encrypts the secrets in the database: 32 bytes in base64 or hex',
  }),
  SVC_NEW_DATABASE: variable({
    default: null,
    schema: z.enum(['0', '1'], 'must be 0 or 1'),
    meaning:
      '1 allows a start with an existing `master.key` and no database; otherwise the start is refused, because the database was probably lost',
  }),
  SVC_LOG_LEVEL: variable({
    default: 'info',
    schema: LogLevel,
    meaning: 'Lowest level that is logged: trace, debug, info, warn, error, fatal or silent',
  }),
  SVC_HTTP_SERVER: variable({
    default: null,
    shownDefault: 'uws; node if uws cannot be loaded',
    schema: z.enum(['uws', 'node'], 'must be one of uws, node'),
    meaning:
      "Library that serves HTTP and WebSockets: uWebSockets.js (uws), or Node's http with the ws package (node), which is slower and parses strictly",
  }),
  SVC_HTTP_BODY_LIMIT_KB: variable({
    default: '1024',
    schema: wholeNumber(1, 102_400),
    meaning: 'Maximum size of a JSON body in KiB; more answers 413',
  }),
  SVC_FILES_MAX_SIZE_MB: variable({
    default: '25',
    schema: wholeNumber(1, 2_000),
    meaning: 'Maximum size of a file in MiB, however it arrives; more answers 413',
  }),
  SVC_FILES_ACCOUNT_QUOTA_MB: variable({
    default: '1024',
    schema: wholeNumber(1, 100_000_000),
    meaning: 'Disk space for the uploads of one account in MiB; more answers 507',
  }),
  SVC_FILES_DISK_QUOTA_MB: variable({
    default: '10240',
    schema: wholeNumber(1, 100_000_000),
    meaning:
      'Disk space for all files in MiB; cached copies of platform files are deleted first, then more answers 507',
  }),
  SVC_FILES_FETCH_ALLOW: variable({
    default: null,
    schema: ProxyList,
    meaning:
      'Comma-separated addresses or subnets from which files may be fetched by URL although they are not public',
  }),
} as const;

export type VariableName = keyof typeof VARIABLES;

/** The variables as rows for people: the README shows exactly these. */
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
