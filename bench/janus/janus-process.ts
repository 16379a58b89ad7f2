import { claimSignalingPorts, type PortClaim } from '../../test/support/free-ports.ts';
import { configureJanus } from '../../test/support/janus.ts';
import { PeerServer } from '../../test/support/peer-server.ts';
import { ownLoopbackAddress } from '../loopback.ts';
import type { NeededProgram } from '../needed-program.ts';
import { JanusApi } from './janus-api.ts';

export const JANUS: NeededProgram = { program: 'janus', apt: 'apt-get install janus' };

/** Where participants send to. */
export interface JanusMedia {
  readonly host: string;
  readonly first: number;
  readonly last: number;
}

/** Janus as Debian ships it, with nothing but the AudioBridge and the HTTP interface. */
export class JanusProcess extends PeerServer {
  readonly api: JanusApi;
  protected readonly program = 'Janus';
  readonly #prefix: readonly string[];

  private constructor(claim: PortClaim, prefix: readonly string[], { host, first, last }: JanusMedia) {
    super(claim);
    this.#prefix = prefix;
    this.api = new JanusApi(`http://127.0.0.1:${this.port}/janus`);
    configureJanus(this.folder, {
      libraries: ['plugins/libjanus_audiobridge.so', 'transports/libjanus_http.so'],
      general: 'debug_level = 2 session_timeout = 0',
      nat: 'ice_lite = true',
      files: {
        'janus.transport.http.jcfg': `general: { json = "compact" base_path = "/janus" http = true port = ${this.port}
      ip = "127.0.0.1" https = false }\nadmin: { admin_http = false }`,
        'janus.plugin.audiobridge.jcfg': `general: { rtp_port_range = "${first}-${last}"
      local_ip = "${host}" }`,
      },
    });
  }

  /** `prefix` is put before the command, as to pin it to a core. */
  static async start(prefix: readonly string[] = [], media = ownMedia()): Promise<JanusProcess> {
    return await new JanusProcess(await claimSignalingPorts(1), prefix, media).begin();
  }

  protected command(): readonly string[] {
    return [...this.#prefix, 'janus', '-F', this.folder];
  }

  protected answers(): Promise<boolean> {
    return this.api.answers();
  }
}

function ownMedia(): JanusMedia {
  return { host: ownLoopbackAddress(), first: 20_000, last: 59_999 };
}
