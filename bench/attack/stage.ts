import { getPriority } from 'node:os';
import { join } from 'node:path';
import { VARIABLES } from '../../src/settings/variables.ts';
import { Gateway } from '../../test/support/gateway.ts';
import { Mailbox } from '../../test/support/mailbox.ts';
import { AskedProcess } from './asked-process.ts';
import { PLATFORM_PORT, PROVIDER_HOST, PROXY_HOST, type Target } from './attack.ts';
import { LiveCall } from './live-call.ts';
import { MemoryGuard } from './memory-guard.ts';

const PROBER = join(import.meta.dirname, 'prober-program.ts');
const COLLECT_GARBAGE = join(import.meta.dirname, '../soak/collect-garbage.mjs');

/** Whoever attacks runs them. */
const PLATFORMS = `http://${PROVIDER_HOST}:${PLATFORM_PORT}`;
/** Platforms that send webhooks, with secrets that no attacker has. */
const WEBHOOK_PLATFORMS = {
  SVC_SLACK_CLIENT_ID: '1.2',
  SVC_SLACK_CLIENT_SECRET: 'slack client secret',
  SVC_SLACK_SIGNING_SECRET: 'f'.repeat(32),
  SVC_TEAMS_CLIENT_ID: '11111111-2222-3333-4444-555555555554',
  SVC_TEAMS_CLIENT_SECRET: 'client secret',
  SVC_TEAMS_LOGIN_URL: `${PLATFORMS}/entra`,
  SVC_TEAMS_OPENID_URL: `${PLATFORMS}/openid`,
  SVC_TEAMS_APP_ID: '11111111-2222-3333-4444-555555555555',
  SVC_TEAMS_APP_SECRET: 'app secret',
  SVC_TEAMS_TENANT_ID: '11111111-2222-3333-4444-555555555556',
  SVC_WHATSAPP_PHONE_NUMBER_ID: '1',
  SVC_WHATSAPP_ACCESS_TOKEN: 'token',
  SVC_WHATSAPP_APP_SECRET: 'app secret',
  SVC_WHATSAPP_VERIFY_TOKEN: 'a text of our own choice',
  SVC_WHATSAPP_API_URL: `${PLATFORMS}/whatsapp`,
};

/** Latencies of `GET /api/calls` since the last report. */
export interface ProbeReport {
  readonly latenciesMs: readonly number[];
  /** The slow ones, with the time of day of the answer. */
  readonly slow: readonly { readonly atMs: number; readonly latencyMs: number }[];
  readonly failures: number;
}

/** A gateway in a live call with a SIP phone, and everything that measures it. */
export class Stage {
  readonly gateway: Gateway;
  readonly mailbox: Mailbox;
  readonly call: LiveCall;
  readonly guard: MemoryGuard;
  readonly prober: AskedProcess<ProbeReport>;
  /** Wanted settings that this version of the gateway does not have. */
  readonly unknownSettings: readonly string[];
  readonly #server: 'uws' | 'node';

  private constructor(
    parts: Pick<Stage, 'gateway' | 'mailbox' | 'call' | 'prober' | 'unknownSettings'>,
    server: 'uws' | 'node',
  ) {
    this.gateway = parts.gateway;
    this.mailbox = parts.mailbox;
    this.call = parts.call;
    this.prober = parts.prober;
    this.unknownSettings = parts.unknownSettings;
    this.guard = new MemoryGuard(parts.gateway.pid);
    this.#server = server;
  }

  /** `pinned`: the command that gives the gateway its core. */
  static async start(server: 'uws' | 'node', pinned: readonly string[]): Promise<Stage> {
    const mailbox = await Mailbox.open();
    const { known, unknown } = split(settings(server, mailbox.url));
    const gateway = await Gateway.start({
      prefix: [...pinned, 'nice', '-n', `${-getPriority()}`],
      env: { ...known, NODE_OPTIONS: `--import ${COLLECT_GARBAGE}` },
    });
    const call = await LiveCall.start(gateway);
    const args = [`${gateway.httpPort}`, gateway.agentKey];
    const prober = await AskedProcess.start<ProbeReport>(PROBER, args);
    return new Stage({ gateway, mailbox, call, prober, unknownSettings: unknown }, server);
  }

  target(round: number): Target {
    const { baseUrl, httpPort, sipPort, pid, agentKey, settingsKey, dataFolder } = this.gateway;
    const { callId, streamUrl } = this.call;
    const { baseUrl: _, ...ports } = { baseUrl, httpPort, sipPort, pid };
    return {
      ...{ baseUrl, ...ports, agentKey, settingsKey, callId, streamUrl, dataFolder },
      ...{ server: this.#server, round },
    };
  }

  /** Restarts the gateway or the call if an attack has ended it. */
  async mend(): Promise<void> {
    if (!this.gateway.running) {
      await this.gateway.restart();
      this.guard.watch(this.gateway.pid);
    }
    await this.call.begin();
  }

  async stop(): Promise<void> {
    this.guard.stop();
    this.prober.stop();
    await this.call.stop();
    await this.gateway.stop();
    await this.mailbox.close();
  }
}

function settings(server: 'uws' | 'node', smtpUrl: string): Record<string, string> {
  return {
    SVC_HTTP_SERVER: server,
    SVC_SIGNUP: 'open',
    SVC_SMTP_URL: smtpUrl,
    SVC_MAIL_FROM: 'Gateway <gateway@example.com>',
    SVC_SIP_TRUNK_ALLOW: PROVIDER_HOST,
    SVC_MODELS_ALLOW: PROVIDER_HOST,
    SVC_DISCORD_API_URL: `${PLATFORMS}/discord`,
    SVC_SLACK_API_URL: `${PLATFORMS}/slack`,
    SVC_TELEGRAM_API_URL: `${PLATFORMS}/telegram`,
    SVC_DEEPGRAM_URL: `${PLATFORMS}/deepgram`,
    SVC_OPENAI_URL: `${PLATFORMS}/openai`,
    SVC_BRIDGE_KEY: 'b'.repeat(40),
    ...WEBHOOK_PLATFORMS,
    SVC_TRUSTED_PROXIES: PROXY_HOST,
    // Reached within an attack. None but the one that reaches for it stores as much.
    SVC_DATABASE_ACCOUNT_QUOTA_MB: '6',
    SVC_LOG_LEVEL: 'warn',
  };
}

/** Separates the settings that this version knows. The gateway refuses to start with unknown ones. */
function split(wanted: Readonly<Record<string, string>>) {
  const unknown = Object.keys(wanted).filter((name) => !(name in VARIABLES));
  const known = Object.fromEntries(Object.entries(wanted).filter(([name]) => name in VARIABLES));
  return { known, unknown };
}
