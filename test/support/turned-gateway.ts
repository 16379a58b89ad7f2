import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newApiKey } from '../../src/base/ids.ts';
import { type Gateway, startGateway } from '../../src/gateway.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { openLoggers } from '../../src/telemetry/loggers.ts';
import { claimSignalingPorts, type PortClaim } from './free-ports.ts';
import { type Answer, GatewayApi } from './gateway-api.ts';
import type { ManualClock } from './manual-clock.ts';

const CLOSE_MS = 5_000;
/** Requests that what a turn of the clock has set off cannot be behind: each is several turns of loop and database. */
const SETTLING_REQUESTS = 10;

/** The whole gateway within the test's process, over real sockets, on a clock that stands still until the test turns it. */
export class TurnedGateway {
  readonly clock: ManualClock;
  readonly baseUrl: string;
  readonly agentKey: string;
  readonly settingsKey: string;
  readonly agentApi: GatewayApi;
  readonly settingsApi: GatewayApi;
  readonly #gateway: Gateway;
  readonly #dataDir: string;
  readonly #claim: PortClaim;

  private constructor(
    gateway: Gateway,
    clock: ManualClock,
    keys: { readonly agent: string; readonly settings: string },
    place: { readonly dataDir: string; readonly claim: PortClaim },
  ) {
    this.#gateway = gateway;
    this.#dataDir = place.dataDir;
    this.#claim = place.claim;
    this.clock = clock;
    this.baseUrl = gateway.publicUrl;
    this.agentKey = keys.agent;
    this.settingsKey = keys.settings;
    this.agentApi = new GatewayApi(this.baseUrl, keys.agent);
    this.settingsApi = new GatewayApi(this.baseUrl, keys.settings);
  }

  static async start(env: Readonly<Record<string, string>>, clock: ManualClock): Promise<TurnedGateway> {
    const claim = await claimSignalingPorts(1);
    const dataDir = mkdtempSync(join(tmpdir(), 'gateway-'));
    const keys = { agent: newApiKey(), settings: newApiKey() };
    const loaded = loadSettings(
      {
        SVC_PORT: `${claim.first}`,
        SVC_PUBLIC_URL: `http://127.0.0.1:${claim.first}`,
        SVC_SIP_HOST: '127.0.0.1',
        SVC_SIP_PORT: '0',
        SVC_DATA_DIR: dataDir,
        SVC_ENGINE_THREADS: '1',
        SVC_MEDIA_IO: 'portable',
        SVC_BOOTSTRAP_AGENT_KEY: keys.agent,
        SVC_BOOTSTRAP_SETTINGS_KEY: keys.settings,
        ...env,
      },
      '/nowhere',
    );
    if ('mistakes' in loaded) throw new Error(loaded.mistakes.join('\n'));
    const gateway = await startGateway(loaded.settings, clock, openLoggers('error'));
    return new TurnedGateway(gateway, clock, keys, { dataDir, claim });
  }

  async stop(): Promise<void> {
    await this.#gateway.close(CLOSE_MS);
    this.#claim.release();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }

  /** A server with another key, or with none. */
  api(key: string | null): GatewayApi {
    return new GatewayApi(this.baseUrl, key);
  }

  /** Resolves when whatever the last turn of the clock set off has happened. */
  async settled(): Promise<void> {
    for (let count = 0; count < SETTLING_REQUESTS; count++) await this.agentApi.get('/api/inbox');
  }

  /** Uploads a file as a form: with the agent key, or to an address that needs none. */
  async upload(bytes: Uint8Array, url = '/api/files'): Promise<Answer> {
    const form = new FormData();
    form.append('file', new Blob([Buffer.from(bytes)]), 'a.bin');
    const isOpen = url.startsWith('http');
    return await this.request(isOpen ? url : this.baseUrl + url, {
      method: 'POST',
      body: form,
      headers: isOpen ? {} : { 'X-API-Key': this.agentKey },
    });
  }

  /** Any request; a body that is not JSON is represented by its length. */
  async request(url: string, init: RequestInit = {}): Promise<Answer> {
    const answer = await fetch(url, init);
    const isJson = answer.headers.get('content-type') === 'application/json';
    const body = isJson ? await answer.json() : { length: (await answer.arrayBuffer()).byteLength };
    return { status: answer.status, headers: answer.headers, body };
  }
}
