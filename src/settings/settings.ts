import { join, resolve } from 'node:path';
import { nearestName } from '../base/nearest-name.ts';
import { traitsWithFiles } from '../base/platform.ts';
import { readConfigFile } from './config-file.ts';
import { conflicts } from './conflicts.ts';
import { isOidcVariable, type OidcProviderSettings, readOidcProviders } from './oidc-providers.ts';
import { VARIABLES, type Values, type Variable } from './variables.ts';

const CONFIG_FILE = 'gateway.json';
const BYTES_PER_MB = 1024 * 1024;
const DAY_MS = 86_400_000;

/** All settings of the gateway, deeply frozen. Contains secrets, so never log it as a whole. */
export type Settings = Frozen<ReturnType<typeof arrange>>;

type Frozen<Tree> = Tree extends Buffer ? Tree : { readonly [Name in keyof Tree]: Frozen<Tree[Name]> };

/** The settings, or all mistakes, each naming its variable. */
export type LoadedSettings = { readonly settings: Settings } | { readonly mistakes: readonly string[] };

/**
 * Reads the `SVC_*` variables of `env` and `gateway.json` in `configDir`; `env` takes precedence. Empty values count as
 * unset.
 */
export function loadSettings(
  env: Readonly<Record<string, string | undefined>>,
  configDir: string,
): LoadedSettings {
  const file = readConfigFile(join(configDir, CONFIG_FILE));
  const texts = { ...present(file.texts), ...present(env) };
  const { values, mistakes } = parseAll(texts);
  const oidc = readOidcProviders(texts);
  const all = [
    ...file.mistakes,
    ...unknownNames(texts),
    ...unknownKeys(file.texts),
    ...mistakes,
    ...oidc.mistakes,
    ...conflicts(values),
  ];
  if (all.length > 0) return { mistakes: all };
  return { settings: deepFreeze(arrange(values as Values, texts, oidc.providers)) };
}

/** The local URL of a gateway without SVC_PUBLIC_URL. */
export function listeningUrl(host: string, port: number): string {
  const named = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${named.includes(':') ? `[${named}]` : named}:${port}`;
}

type Texts = Readonly<Record<string, string>>;

function present(texts: Readonly<Record<string, string | undefined>>): Texts {
  return Object.fromEntries(
    Object.entries(texts).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
}

function parseAll(texts: Texts): { values: Partial<Values>; mistakes: string[] } {
  const values: Record<string, unknown> = {};
  const mistakes: string[] = [];
  for (const [name, variable] of Object.entries<Variable>(VARIABLES)) {
    const text = texts[name] ?? variable.default;
    const parsed = text === null ? null : variable.schema.safeParse(text);
    if (parsed === null) values[name] = null;
    else if (parsed.success) values[name] = parsed.data;
    else
      mistakes.push(
        `${name}: ${parsed.error.issues[0]!.message}${variable.secret ? '' : ` (it is "${text}")`}`,
      );
  }
  return { values: values as Partial<Values>, mistakes };
}

function unknownNames(texts: Texts): string[] {
  return Object.keys(texts)
    .filter((name) => name.startsWith('SVC_') && !(name in VARIABLES) && !isOidcVariable(name))
    .map((name) => {
      const meant = nearestName(name, Object.keys(VARIABLES));
      return `${name}: unknown variable${meant ? `; did you mean ${meant}?` : ''}`;
    });
}

/**
 * Keys of the file without the `SVC_` prefix. In the environment such names belong to other programs and are ignored.
 */
function unknownKeys(fileTexts: Texts): string[] {
  return Object.keys(fileTexts)
    .filter((name) => !name.startsWith('SVC_'))
    .map((name) => `${name}: keys of ${CONFIG_FILE} must be names of SVC_* variables`);
}

function arrange(values: Values, texts: Texts, oidcProviders: readonly OidcProviderSettings[]) {
  return {
    http: {
      host: values.SVC_HOST,
      port: values.SVC_PORT,
      /** Without a trailing slash. Null: the listening address, see `listeningUrl`. */
      publicUrl: values.SVC_PUBLIC_URL,
      bodyLimitBytes: values.SVC_HTTP_BODY_LIMIT_KB * 1024,
      connectionsPerNetwork: values.SVC_NETWORK_CONNECTIONS,
      /** Null: use whichever can be loaded. */
      server: values.SVC_HTTP_SERVER,
    },
    dataDir: resolve(values.SVC_DATA_DIR),
    masterKey: values.SVC_MASTER_KEY,
    /** Whether an empty database may be created although a key file exists. */
    allowsNewDatabase: values.SVC_NEW_DATABASE === '1',
    /** What one account may store in the database. */
    accountBytes: values.SVC_DATABASE_ACCOUNT_QUOTA_MB * BYTES_PER_MB,
    bootstrap: { agentKey: values.SVC_BOOTSTRAP_AGENT_KEY, settingsKey: values.SVC_BOOTSTRAP_SETTINGS_KEY },
    people: {
      signup: values.SVC_SIGNUP,
      signupCode: values.SVC_SIGNUP_CODE,
      loginAttempts: values.SVC_LOGIN_ATTEMPTS,
      /** IP addresses and subnets. */
      trustedProxies: values.SVC_TRUSTED_PROXIES ?? [],
    },
    /** Null: mails are kept, not sent. */
    mail: arrangeMail(values),
    sip: {
      host: values.SVC_SIP_HOST,
      port: values.SVC_SIP_PORT,
      /** Whether the port is the default. If it is taken, any other port will do. */
      portIsDefault: texts.SVC_SIP_PORT === undefined,
      advertisedHost: values.SVC_SIP_ADVERTISED_HOST,
      /** In PEM format. */
      tlsCa: values.SVC_SIP_TLS_CA_FILE,
      /** Certificate and key in PEM format. Null: no TLS listener. */
      tlsListen: arrangeTls(values),
      rtpPortMin: values.SVC_RTP_PORT_MIN,
      rtpPortMax: values.SVC_RTP_PORT_MAX,
      /** In order of preference; at least one. */
      codecs: values.SVC_SIP_CODECS,
      mediaTimeoutMs: values.SVC_MEDIA_TIMEOUT_S * 1000,
      numbersPerAccount: values.SVC_SIP_NUMBERS_PER_ACCOUNT,
      /** IP addresses and subnets. */
      trunkAllow: values.SVC_SIP_TRUNK_ALLOW ?? [],
      trunkBindings: values.SVC_SIP_TRUNK_BINDINGS ?? [],
      /** Host names in lower case. */
      directHosts: values.SVC_SIP_DIRECT_HOSTS,
    },
    discord: arrangeDiscord(values),
    telegram: arrangeTelegram(values),
    slack: arrangeSlack(values),
    teams: arrangeTeams(values),
    meet: {
      /** Null: accounts cannot connect. */
      client: clientOf(values.SVC_MEET_CLIENT_ID, values.SVC_MEET_CLIENT_SECRET),
      /** Both without a trailing slash. Null: Google's own hosts. */
      loginUrl: values.SVC_MEET_LOGIN_URL,
      apiUrl: values.SVC_MEET_API_URL,
    },
    zoom: {
      /** Null: accounts cannot connect. */
      app: clientOf(values.SVC_ZOOM_CLIENT_ID, values.SVC_ZOOM_CLIENT_SECRET),
      /** Null: no Realtime Media Streams. */
      webhookSecret: values.SVC_ZOOM_WEBHOOK_SECRET,
      /** Without trailing slashes. */
      urls: { login: values.SVC_ZOOM_LOGIN_URL, api: values.SVC_ZOOM_API_URL },
      /** In E.164. Null: only those that Zoom or the caller names are called. */
      dialIn: values.SVC_ZOOM_DIAL_IN,
    },
    nctalk: {
      /** Addresses and subnets that Nextclouds may have although they are not public. */
      allow: values.SVC_NCTALK_ALLOW ?? [],
      /** Of signaling servers that calls join as an internal client. */
      internalSecrets: values.SVC_NCTALK_INTERNAL_SECRET ?? [],
    },
    bridge: arrangeBridge(values),
    /** Null: the gateway has no WhatsApp number. */
    whatsapp: arrangeWhatsApp(values),
    /** Hosts of the speech providers in place of their own, without trailing slashes. */
    speechUrls: {
      elevenlabs: values.SVC_ELEVENLABS_URL,
      deepgram: values.SVC_DEEPGRAM_URL,
      cartesia: values.SVC_CARTESIA_URL,
      assemblyai: values.SVC_ASSEMBLYAI_URL,
      openai: values.SVC_OPENAI_URL,
    },
    models: {
      /** Hosts of the model providers in place of their own, without trailing slashes. */
      urls: {
        openai: values.SVC_OPENAI_URL,
        anthropic: values.SVC_ANTHROPIC_URL,
        gemini: values.SVC_GEMINI_URL,
        mistral: values.SVC_MISTRAL_URL,
        bedrock: values.SVC_BEDROCK_URL,
        // Models of Foundry have endpoints of their own.
        foundry: values.SVC_ENTRA_URL,
      },
      /** Addresses and subnets that endpoints may have although they are not public. */
      allow: values.SVC_MODELS_ALLOW ?? [],
      /** Tells whether a caller has said all. Null: the words decide alone. */
      turns:
        values.SVC_TURN_MODEL_URL === null
          ? null
          : {
              url: values.SVC_TURN_MODEL_URL,
              model: values.SVC_TURN_MODEL,
              key: values.SVC_TURN_MODEL_KEY,
            },
    },
    calls: {
      maxPerAccount: values.SVC_MAX_CALLS_PER_ACCOUNT,
      /** Of all accounts; null: no limit but the room there is. */
      maxTotal: values.SVC_MAX_CALLS || null,
      isAdmittedByLoad: values.SVC_ADMISSION === 'load',
      /** For RTP and RTCP, one for each call that there can be. */
      portPairs: Math.floor((values.SVC_RTP_PORT_MAX + 1) / 2) - Math.ceil(values.SVC_RTP_PORT_MIN / 2),
      maxCallMs: values.SVC_MAX_CALL_MINUTES * 60_000,
    },
    /** What an agent may use in an hour. */
    budget: {
      turns: values.SVC_BUDGET_TURNS,
      tokens: values.SVC_BUDGET_TOKENS,
      minutes: values.SVC_BUDGET_MINUTES,
    },
    files: {
      maxBytes: values.SVC_FILES_MAX_SIZE_MB * BYTES_PER_MB,
      accountBytes: values.SVC_FILES_ACCOUNT_QUOTA_MB * BYTES_PER_MB,
      totalBytes: values.SVC_FILES_DISK_QUOTA_MB * BYTES_PER_MB,
      /** IP addresses and subnets. */
      fetchAllow: values.SVC_FILES_FETCH_ALLOW ?? [],
    },
    messaging: {
      /** Empty: no text is sent. */
      timeoutText: values.SVC_DM_TIMEOUT_TEXT === 'off' ? '' : values.SVC_DM_TIMEOUT_TEXT,
      /** Null: messages are kept forever. */
      keptMs: daysMs(values.SVC_MESSAGES_KEEP_DAYS),
    },
    /** Null: ended calls are kept forever. */
    callsKeptMs: daysMs(values.SVC_CALLS_KEEP_DAYS),
    engine: {
      threads: values.SVC_ENGINE_THREADS,
      callsPerThread: values.SVC_ENGINE_CALLS_PER_THREAD,
      mediaIo: values.SVC_MEDIA_IO,
      maxJitterDelayMs: values.SVC_MAX_JITTER_DELAY_MS,
    },
    neuralVoice: values.SVC_NEURAL_VOICE === 'auto',
    streamThreads: values.SVC_STREAM_THREADS,
    mcp: {
      allowedOrigins: values.SVC_MCP_ALLOWED_ORIGINS,
      sessionIdleMs: values.SVC_MCP_SESSION_IDLE_S * 1_000,
      sessionsPerAccount: values.SVC_MCP_SESSIONS_PER_ACCOUNT,
      /** Whether common requests bypass the MCP SDK. */
      fastPath: values.SVC_MCP_FAST_PATH === 'on',
    },
    logLevel: values.SVC_LOG_LEVEL,
    oidcProviders,
    /** What the platforms can do on this gateway. */
    traits: traitsWithFiles(values.SVC_FILES_ENABLE_TEAMS === 'on' ? ['teams'] : []),
  };
}

function arrangeTls(values: Values) {
  const { SVC_SIP_TLS_PORT: port, SVC_SIP_TLS_CERT_FILE: cert, SVC_SIP_TLS_KEY_FILE: key } = values;
  return cert === null || key === null ? null : { port, cert, key };
}

function arrangeDiscord(values: Values) {
  const {
    SVC_DISCORD_BOT_TOKEN: token,
    SVC_DISCORD_APPLICATION_ID: applicationId,
    SVC_DISCORD_CLIENT_SECRET: clientSecret,
  } = values;
  return {
    /** Null: there is no shared bot. */
    shared: token === null || applicationId === null ? null : { token, applicationId, clientSecret },
    hearsBots: values.SVC_DISCORD_BOTS === 'hear',
    /** Without trailing slashes. */
    apiUrl: values.SVC_DISCORD_API_URL,
    cdnUrl: values.SVC_DISCORD_CDN_URL,
  };
}

function arrangeSlack(values: Values) {
  const {
    SVC_SLACK_CLIENT_ID: clientId,
    SVC_SLACK_CLIENT_SECRET: clientSecret,
    SVC_SLACK_SIGNING_SECRET: signingSecret,
  } = values;
  const isShared = clientId !== null && clientSecret !== null && signingSecret !== null;
  return {
    /** Null: there is no shared app. */
    sharedApp: isShared ? { clientId, clientSecret, signingSecret } : null,
    /** Without trailing slashes. */
    urls: { api: values.SVC_SLACK_API_URL, files: values.SVC_SLACK_FILES_URL },
  };
}

function arrangeTeams(values: Values) {
  return {
    /** Null: accounts cannot connect. */
    application: clientOf(values.SVC_TEAMS_CLIENT_ID, values.SVC_TEAMS_CLIENT_SECRET),
    tenant: values.SVC_TEAMS_TENANT,
    cloud: values.SVC_TEAMS_CLOUD,
    /** Without trailing slashes. Null: those of the cloud. */
    loginUrl: values.SVC_TEAMS_LOGIN_URL,
    graphUrl: values.SVC_TEAMS_GRAPH_URL,
    /** Null: there is no bot. */
    bot: arrangeTeamsBot(values),
  };
}

function arrangeTeamsBot(values: Values) {
  const { SVC_TEAMS_APP_ID: appId, SVC_TEAMS_APP_SECRET: secret, SVC_TEAMS_TENANT_ID: tenantId } = values;
  if (appId === null || secret === null || tenantId === null) return null;
  return {
    appId: appId.toLowerCase(),
    secret,
    tenantId: tenantId.toLowerCase(),
    hasFiles: values.SVC_FILES_ENABLE_TEAMS === 'on',
    /** Without trailing slashes. Null: those of the cloud. */
    openIdUrl: values.SVC_TEAMS_OPENID_URL,
    serviceUrl: values.SVC_TEAMS_SERVICE_URL,
    filesUrl: values.SVC_TEAMS_FILES_URL,
    serviceHosts: values.SVC_TEAMS_SERVICE_HOSTS ?? [],
  };
}

function clientOf(clientId: string | null, clientSecret: string | null) {
  return clientId === null || clientSecret === null ? null : { clientId, clientSecret };
}

function arrangeBridge(values: Values) {
  const { SVC_BRIDGE_KEY: key, SVC_BRIDGE_URL: url, SVC_BRIDGE_PLATFORMS: platforms } = values;
  return {
    /** Null: the endpoints of the bridge do not exist. */
    key,
    /** How to reach the bridge. Null: it only posts to the gateway. */
    client: key === null || url === null ? null : { url, key },
    /** Carried by the bridge in both directions. */
    platforms: platforms ?? [],
  };
}

function arrangeTelegram(values: Values) {
  const api = values.SVC_TELEGRAM_API_URL;
  return {
    /** Null: there is no shared bot. */
    sharedToken: values.SVC_TELEGRAM_BOT_TOKEN,
    updates: values.SVC_TELEGRAM_UPDATES,
    /** Without trailing slashes. */
    urls: { api, files: values.SVC_TELEGRAM_FILE_URL ?? `${api}/file` },
  };
}

function arrangeWhatsApp(values: Values) {
  const {
    SVC_WHATSAPP_PHONE_NUMBER_ID: phoneNumberId,
    SVC_WHATSAPP_ACCESS_TOKEN: accessToken,
    SVC_WHATSAPP_APP_SECRET: appSecret,
    SVC_WHATSAPP_VERIFY_TOKEN: verifyToken,
  } = values;
  if (phoneNumberId === null || accessToken === null || appSecret === null || verifyToken === null)
    return null;
  return {
    phoneNumberId,
    accessToken,
    appSecret,
    verifyToken,
    templateLanguage: values.SVC_WHATSAPP_TEMPLATE_LANGUAGE,
    /** Without trailing slashes. */
    apiUrl: values.SVC_WHATSAPP_API_URL,
    apiVersion: values.SVC_WHATSAPP_API_VERSION,
    mediaUrl: values.SVC_WHATSAPP_MEDIA_URL,
  };
}

function arrangeMail({ SVC_SMTP_URL: smtpUrl, SVC_MAIL_FROM: from }: Values) {
  return smtpUrl === null || from === null ? null : { smtpUrl, from };
}

/** Freezes a tree of objects, except for byte arrays, which cannot be frozen. */
function deepFreeze<Tree extends object>(tree: Tree): Tree {
  for (const branch of Object.values(tree)) {
    if (typeof branch === 'object' && branch !== null && !ArrayBuffer.isView(branch)) deepFreeze(branch);
  }
  return Object.freeze(tree);
}

/** Null stays null. */
function daysMs(days: number | null): number | null {
  return days === null ? null : days * DAY_MS;
}
