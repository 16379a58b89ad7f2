import { globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '../../test/support/child.ts';
import { claimRtpPorts, claimSignalingPorts } from '../../test/support/free-ports.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { Bridge, PhonePair } from './bridge.ts';

export const JANUS_PACKAGE = 'apt-get install -y --no-install-recommends janus';

const LIBRARIES = '/usr/lib/*/janus';
const START_DEADLINE_MS = 10_000;
const REQUEST_DEADLINE_MS = 5_000;

/** What Janus answers, as far as it matters here. */
interface Answer {
  readonly janus?: string;
  readonly data?: { readonly id: number };
  readonly plugindata?: {
    readonly data: { readonly rtp?: { readonly port: number }; readonly error?: string };
  };
}

export function janusIsInstalled(): boolean {
  return globSync(`${LIBRARIES}/plugins/libjanus_audiobridge.so`).length > 0;
}

/** Janus' AudioBridge with plain-RTP participants in PCMU, two in each room of 8 kHz, otherwise as Debian ships it. */
export async function startJanusBridge(
  prefix: readonly string[],
  pairs: readonly PhonePair[],
): Promise<Bridge> {
  const [http, rtp] = [await claimSignalingPorts(1), await claimRtpPorts(pairs.length * 4 + 8)];
  const folder = mkdtempSync(join(tmpdir(), 'janus-'));
  writeConfiguration(folder, http.first, rtp);
  const [command = 'janus', ...args] = [...prefix, 'janus', '-F', folder];
  const child = new Child(command, args);
  const stop = async (): Promise<void> => {
    await child.stop();
    for (const claim of [http, rtp]) claim.release();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const api = new JanusApi(`http://127.0.0.1:${http.first}/janus`);
    await waitFor('Janus to answer', () => api.answers(), START_DEADLINE_MS);
    const ports: PhonePair[] = [];
    for (const [room, pair] of pairs.entries()) ports.push(await api.openRoom(room + 1, pair));
    return { name: 'Janus AudioBridge', ports, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function writeConfiguration(folder: string, httpPort: number, rtp: { first: number; last: number }): void {
  const [libraries = ''] = globSync(LIBRARIES);
  for (const [kind, file] of [
    ['plugins', 'libjanus_audiobridge.so'],
    ['transports', 'libjanus_http.so'],
  ] as const) {
    mkdirSync(join(folder, kind));
    symlinkSync(join(libraries, kind, file), join(folder, kind, file));
  }
  const range = `"${rtp.first}-${rtp.last}"`;
  const files = {
    'janus.jcfg': `general: { configs_folder = "${folder}" plugins_folder = "${folder}/plugins"
      transports_folder = "${folder}/transports" events_folder = "${folder}" loggers_folder = "${folder}"
      debug_level = 2 }\nmedia: { rtp_port_range = ${range} }\nnat: { ice_lite = true }`,
    'janus.transport.http.jcfg': `general: { json = "compact" base_path = "/janus" http = true port = ${httpPort}
      ip = "127.0.0.1" https = false }\nadmin: { admin_http = false }`,
    'janus.plugin.audiobridge.jcfg': `general: { rtp_port_range = ${range} local_ip = "127.0.0.1" }`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), `${text}\n`);
}

class JanusApi {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async answers(): Promise<boolean> {
    return fetch(`${this.#url}/info`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  async openRoom(room: number, [first, second]: PhonePair): Promise<PhonePair> {
    const { handle } = await this.#attach();
    await this.#say(handle, { request: 'create', room, sampling_rate: 8_000, allow_rtp_participants: true });
    return [await this.#join(room, first), await this.#join(room, second)];
  }

  /** Returns the port on which Janus hears the telephone that hears on `phonePort`. */
  async #join(room: number, phonePort: number): Promise<number> {
    const { session, handle } = await this.#attach();
    const rtp = { ip: '127.0.0.1', port: phonePort, payload_type: 0 };
    await this.#say(handle, { request: 'join', room, codec: 'pcmu', rtp });
    const events: Answer[] = await this.#get(`${session}?maxev=5`);
    const port = events.map((event) => event.plugindata?.data.rtp?.port).find((each) => each !== undefined);
    if (port === undefined) throw new Error(`Janus let no telephone in: ${JSON.stringify(events)}`);
    return port;
  }

  async #attach(): Promise<{ session: string; handle: string }> {
    const session = `${this.#url}/${(await this.#post(this.#url, { janus: 'create' })).data?.id}`;
    const attached = await this.#post(session, { janus: 'attach', plugin: 'janus.plugin.audiobridge' });
    return { session, handle: `${session}/${attached.data?.id}` };
  }

  async #say(handle: string, body: Record<string, unknown>): Promise<void> {
    const answer = await this.#post(handle, { janus: 'message', body });
    const error = answer.plugindata?.data.error;
    if (answer.janus === 'error' || error !== undefined) throw new Error(`Janus: ${JSON.stringify(answer)}`);
  }

  async #post(url: string, body: Record<string, unknown>): Promise<Answer> {
    const text = JSON.stringify({ ...body, transaction: `${Math.random()}` });
    const signal = AbortSignal.timeout(REQUEST_DEADLINE_MS);
    return (await fetch(url, { method: 'POST', body: text, signal })).json() as Promise<Answer>;
  }

  async #get(url: string): Promise<Answer[]> {
    const response = await fetch(url, { signal: AbortSignal.timeout(REQUEST_DEADLINE_MS) });
    return response.json() as Promise<Answer[]>;
  }
}
