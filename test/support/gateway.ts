import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newApiKey } from '../../src/base/ids.ts';
import { Child } from './child.ts';
import { claimRtpPorts, claimSignalingPorts, type PortClaim } from './free-ports.ts';
import { GatewayApi } from './gateway-api.ts';
import { bundleInside, InsideGateway } from './inside-gateway.ts';
import { plaintextsIn, storedText } from './plaintext.ts';
import { startCommand } from './start-command.ts';
import { waitFor } from './wait-for.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const READY_DEADLINE_MS = 60_000;
const DEFAULT_RTP_PORT_COUNT = 128;

export interface GatewayOptions {
  /** More `SVC_*` variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Two for each call. */
  readonly rtpPortCount?: number;
  /** Runs this module in place of `npm start`: a gateway with a platform of the tests. */
  readonly entry?: URL;
  /** Put before the command, as to pin it to a core. */
  readonly prefix?: readonly string[];
}

/**
 * The gateway on free ports and an empty data folder. It runs as its own process, as a user runs it; where TEST_GATEWAYS is
 * `inside` (config/test-projects.ts) it runs in this process, which is cheaper.
 */
export class Gateway {
  readonly baseUrl: string;
  readonly httpPort: number;
  readonly sipPort: number;
  readonly agentKey = newApiKey();
  readonly settingsKey = newApiKey();
  readonly dataFolder: string;
  /** What must never be readable in its data; looked for when it stops. */
  readonly secrets = new Set<string>([this.agentKey, this.settingsKey]);
  /** Calls: the agent key. */
  readonly agentApi: GatewayApi;
  /** Trunk and numbers: the settings key. */
  readonly settingsApi: GatewayApi;
  /** Null: within this process. */
  readonly #command: readonly string[] | null;
  readonly #env: NodeJS.ProcessEnv;
  readonly #claims: readonly PortClaim[];
  #child: Child | InsideGateway;

  private constructor(options: GatewayOptions, rtp: PortClaim, signaling: PortClaim) {
    this.httpPort = signaling.first;
    this.sipPort = signaling.first + 1;
    this.baseUrl = `http://127.0.0.1:${this.httpPort}`;
    this.agentApi = new GatewayApi(this.baseUrl, this.agentKey);
    this.settingsApi = new GatewayApi(this.baseUrl, this.settingsKey);
    this.dataFolder = mkdtempSync(join(tmpdir(), 'gateway-'));
    this.#claims = [rtp, signaling];
    this.#command = commandOf(options);
    this.#env = {
      ...process.env,
      SVC_HOST: '127.0.0.1',
      SVC_PORT: `${this.httpPort}`,
      // The addresses in a developer's own config/gateway.json are not this gateway's.
      SVC_PUBLIC_URL: this.baseUrl,
      SVC_SIP_ADVERTISED_HOST: '127.0.0.1',
      SVC_DATA_DIR: this.dataFolder,
      SVC_SIP_HOST: '127.0.0.1',
      SVC_SIP_PORT: `${this.sipPort}`,
      SVC_RTP_PORT_MIN: `${rtp.first}`,
      SVC_RTP_PORT_MAX: `${rtp.last}`,
      // No test calls the real Telegram: where nothing listens, bots wait.
      SVC_TELEGRAM_API_URL: 'http://127.0.0.1:9',
      // Nor the real Discord.
      SVC_DISCORD_API_URL: 'http://127.0.0.1:9/api',
      SVC_DISCORD_CDN_URL: 'http://127.0.0.1:9',
      // Nor the real Slack.
      SVC_SLACK_API_URL: 'http://127.0.0.1:9/api',
      SVC_SLACK_FILES_URL: 'http://127.0.0.1:9',
      // Nor the real logins of Microsoft, Google and Zoom.
      SVC_TEAMS_LOGIN_URL: 'http://127.0.0.1:9',
      SVC_MEET_LOGIN_URL: 'http://127.0.0.1:9',
      SVC_ZOOM_LOGIN_URL: 'http://127.0.0.1:9',
      SVC_ZOOM_API_URL: 'http://127.0.0.1:9/v2',
      // Nor the room systems of the real Zoom.
      SVC_SIP_DIRECT_HOSTS: 'rooms.invalid',
      // Nor the real WhatsApp; its webhook exists and knows no one.
      SVC_WHATSAPP_API_URL: 'http://127.0.0.1:9',
      SVC_WHATSAPP_PHONE_NUMBER_ID: '1',
      SVC_WHATSAPP_ACCESS_TOKEN: 'token-of-no-business',
      SVC_WHATSAPP_APP_SECRET: 'secret-of-no-app',
      SVC_WHATSAPP_VERIFY_TOKEN: 'verify-token-of-nobody',
      // Nor any speech provider.
      SVC_ELEVENLABS_URL: 'http://127.0.0.1:9',
      SVC_DEEPGRAM_URL: 'http://127.0.0.1:9',
      SVC_CARTESIA_URL: 'http://127.0.0.1:9',
      SVC_ASSEMBLYAI_URL: 'http://127.0.0.1:9',
      SVC_OPENAI_URL: 'http://127.0.0.1:9',
      // Nor any model provider.
      SVC_ANTHROPIC_URL: 'http://127.0.0.1:9',
      SVC_GEMINI_URL: 'http://127.0.0.1:9',
      SVC_MISTRAL_URL: 'http://127.0.0.1:9',
      SVC_BEDROCK_URL: 'http://127.0.0.1:9',
      SVC_ENTRA_URL: 'http://127.0.0.1:9',
      // What is said to the stand-ins for speech providers are tones.
      SVC_NEURAL_VOICE: 'off',
      // Tests share their machine with much else, and some place more calls than it can carry beside that.
      SVC_ADMISSION: 'off',
      SVC_BOOTSTRAP_AGENT_KEY: this.agentKey,
      SVC_BOOTSTRAP_SETTINGS_KEY: this.settingsKey,
      ...options.env,
    };
    this.#child = this.#spawn();
  }

  /** Starts it and waits until it is ready. */
  static async start(options: GatewayOptions = {}): Promise<Gateway> {
    if (commandOf(options) === null) await bundleInside();
    // HTTP, SIP, and two more: TLS uses the port above SIP.
    const signaling = await claimSignalingPorts(4);
    const rtp = await claimRtpPorts(options.rtpPortCount ?? DEFAULT_RTP_PORT_COUNT);
    const gateway = new Gateway(options, rtp, signaling);
    await gateway.#ready();
    return gateway;
  }

  /** All that it printed: the banner and its log lines. */
  get output(): string {
    return this.#child.output;
  }

  get pid(): number {
    return this.#child.pid;
  }

  get running(): boolean {
    return this.#child.running;
  }

  /** A server with another key, or with none. */
  api(apiKey: string | null): GatewayApi {
    return new GatewayApi(this.baseUrl, apiKey);
  }

  /** Connects the one SIP trunk; throws when the gateway refuses it. */
  async putTrunk(trunk: Record<string, unknown>): Promise<void> {
    const answer = await this.settingsApi.put('/api/sip/trunk', {
      username: 'trunk',
      password: 'secret',
      register: false,
      ...trunk,
    });
    if (answer.status !== 200) throw new Error(`PUT trunk: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  /** Places a call and returns the Call. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields it needs and asserts on them
  async placeCall(meetingUrl: string, fields: Record<string, unknown> = {}): Promise<any> {
    const answer = await this.agentApi.post('/api/call', {
      platform: 'sip',
      meeting_url: meetingUrl,
      ...fields,
    });
    if (answer.status >= 300) throw new Error(`POST call: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Waits until a call that is not over is in this state. */
  async waitForState(callId: string, state: string, deadlineMs?: number): Promise<void> {
    let seen = 'nothing';
    await waitFor(
      `call ${callId} to be ${state}`,
      async () => {
        const answer = await this.agentApi.get(`/api/call/${callId}`);
        seen = answer.body?.state ?? `${answer.status}`;
        return seen === state;
      },
      deadlineMs,
    ).catch((error: Error) => {
      throw new Error(`${error.message} (it was ${seen})\n${this.output.slice(-4_000)}`);
    });
  }

  /** One number of `/metrics`, summed over its labels; null when there is no such metric. */
  async metric(name: string): Promise<number | null> {
    const { body } = await this.api(null).get('/metrics');
    const lines = `${body}`
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    if (lines.length === 0) return null;
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  /** Kills it with SIGKILL, without a clean shutdown. */
  async killHard(): Promise<void> {
    await this.#child.killHard();
  }

  /** Starts it again on the same ports and data. `whileDown`: happens before that. */
  async restart(whileDown: () => Promise<void> | void = () => {}): Promise<void> {
    await this.#child.stop();
    await whileDown();
    this.#child = this.#spawn();
    await this.#ready();
  }

  /** Ends it as a service manager does, and removes its data; resolves with the exit code. Safe to call twice. */
  async stop(): Promise<number | null> {
    const exitCode = await this.#child.stop(15_000);
    for (const claim of this.#claims) claim.release();
    const found = process.env.VITEST ? plaintextsIn(storedText(this.dataFolder), this.secrets) : [];
    rmSync(this.dataFolder, { recursive: true, force: true });
    if (found.length > 0) throw new Error(`in plain text in the database: ${found.join(', ')}`);
    const fatal = this.output.split('\n').filter((line) => line.includes('"level":"fatal"'));
    if (fatal.length > 0 && process.env.VITEST) throw new Error(`bugs in the gateway:\n${fatal.join('\n')}`);
    return exitCode;
  }

  #spawn(): Child | InsideGateway {
    if (this.#command === null) return new InsideGateway(this.#env);
    const [command = '', ...args] = this.#command;
    return new Child(command, args, { cwd: ROOT, env: this.#env });
  }

  async #ready(): Promise<void> {
    try {
      await waitFor('the gateway to be ready', () => this.#answersReady(), READY_DEADLINE_MS);
    } catch (error) {
      const output = this.output;
      await this.stop();
      throw new Error(`${(error as Error).message}\n${output}`);
    }
  }

  async #answersReady(): Promise<boolean> {
    if (!this.#child.running) throw new Error('the gateway ended while starting');
    try {
      return (await this.api(null).get('/readyz')).status === 200;
    } catch {
      return false;
    }
  }
}

function commandOf({ prefix = [], entry }: GatewayOptions): string[] | null {
  if (entry !== undefined) return [...prefix, ...startCommand.slice(0, -1), fileURLToPath(entry)];
  if (prefix.length === 0 && process.env.TEST_GATEWAYS === 'inside') return null;
  return [...prefix, ...startCommand];
}
