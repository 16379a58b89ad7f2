import { globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '../../test/support/child.ts';
import { claimSignalingPorts, type PortClaim } from '../../test/support/free-ports.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { ownLoopbackAddress } from '../loopback.ts';
import type { NeededProgram } from '../needed-program.ts';
import { JanusApi } from './janus-api.ts';

export const JANUS: NeededProgram = { program: 'janus', apt: 'apt-get install janus' };

const LIBRARIES = '/usr/lib/*/janus';
const START_DEADLINE_MS = 10_000;

/** Where participants send to. */
export interface JanusMedia {
  readonly host: string;
  readonly first: number;
  readonly last: number;
}

/** Janus as Debian ships it, with nothing but the AudioBridge and the HTTP interface. */
export class JanusProcess {
  readonly api: JanusApi;
  readonly #child: Child;
  readonly #claim: PortClaim;
  readonly #folder: string;

  private constructor(child: Child, claim: PortClaim, folder: string) {
    this.api = new JanusApi(`http://127.0.0.1:${claim.first}/janus`);
    this.#child = child;
    this.#claim = claim;
    this.#folder = folder;
  }

  /** `prefix` is put before the command, as to pin it to a core. */
  static async start(prefix: readonly string[] = [], media = ownMedia()): Promise<JanusProcess> {
    const claim = await claimSignalingPorts(1);
    const folder = mkdtempSync(join(tmpdir(), 'janus-'));
    writeConfiguration(folder, claim.first, media);
    const [command = 'janus', ...args] = [...prefix, 'janus', '-F', folder];
    const janus = new JanusProcess(new Child(command, args), claim, folder);
    try {
      await waitFor('Janus to answer', () => janus.api.answers(), START_DEADLINE_MS);
    } catch (error) {
      await janus.stop();
      throw new Error(`${(error as Error).message}\n${janus.#child.output}`);
    }
    return janus;
  }

  get pid(): number {
    return this.#child.pid;
  }

  async stop(): Promise<void> {
    await this.#child.stop();
    this.#claim.release();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function ownMedia(): JanusMedia {
  return { host: ownLoopbackAddress(), first: 20_000, last: 59_999 };
}

function writeConfiguration(folder: string, httpPort: number, { host, first, last }: JanusMedia): void {
  const [libraries = ''] = globSync(LIBRARIES);
  for (const library of ['plugins/libjanus_audiobridge.so', 'transports/libjanus_http.so']) {
    mkdirSync(join(folder, library, '..'), { recursive: true });
    symlinkSync(join(libraries, library), join(folder, library));
  }
  const files = {
    'janus.jcfg': `general: { configs_folder = "${folder}" plugins_folder = "${folder}/plugins"
      transports_folder = "${folder}/transports" events_folder = "${folder}" loggers_folder = "${folder}"
      debug_level = 2 session_timeout = 0 }\nnat: { ice_lite = true }`,
    'janus.transport.http.jcfg': `general: { json = "compact" base_path = "/janus" http = true port = ${httpPort}
      ip = "127.0.0.1" https = false }\nadmin: { admin_http = false }`,
    'janus.plugin.audiobridge.jcfg': `general: { rtp_port_range = "${first}-${last}"
      local_ip = "${host}" }`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), `${text}\n`);
}
