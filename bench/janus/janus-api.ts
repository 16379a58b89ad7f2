const REQUEST_DEADLINE_MS = 5_000;
const EVENTS_AT_ONCE = 5;
/** Janus also reports participants that come and go. */
const MOST_EVENTS = 5;
const PLUGIN = 'janus.plugin.audiobridge';

/** What Janus answers, as far as it matters here. */
interface Answer {
  readonly janus?: string;
  readonly data?: { readonly id: number };
  readonly plugindata?: { readonly data: { readonly rtp?: RtpAddress; readonly error?: string } };
}

export interface RtpAddress {
  readonly ip: string;
  readonly port: number;
}

/** Who takes part in a room by plain RTP. */
export interface Participant {
  /** Where it hears, on 127.0.0.1. */
  readonly port: number;
  readonly codec: 'pcmu' | 'opus';
  readonly payloadType: number;
  /** For Opus: bits a second, and how hard the encoder searches (0 to 10). */
  readonly opus?: { readonly bitrateBps: number; readonly complexity: number };
}

/** The AudioBridge through Janus' HTTP interface. Every participant has its own session. */
export class JanusApi {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  answers(): Promise<boolean> {
    return fetch(`${this.#url}/info`, { signal: AbortSignal.timeout(REQUEST_DEADLINE_MS) }).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  async createRoom(room: number, sampleRateHz: number): Promise<void> {
    const { handle } = await this.#attach();
    await this.#say(handle, {
      request: 'create',
      room,
      sampling_rate: sampleRateHz,
      allow_rtp_participants: true,
    });
  }

  /** Returns where Janus hears this participant. */
  async join(room: number, { port, codec, payloadType, opus }: Participant): Promise<RtpAddress> {
    const { session, handle } = await this.#attach();
    const tuning = opus && { bitrate: opus.bitrateBps, quality: opus.complexity };
    const rtp = { ip: '127.0.0.1', port, payload_type: payloadType };
    await this.#say(handle, { request: 'join', room, codec, rtp, ...tuning });
    for (let asked = 0; asked < MOST_EVENTS; asked++) {
      const events = await this.#events(session);
      const own = events.map((event) => event.plugindata?.data.rtp).find((address) => address !== undefined);
      if (own !== undefined) return own;
    }
    throw new Error('Janus let no participant in');
  }

  async #attach(): Promise<{ session: string; handle: string }> {
    const session = `${this.#url}/${(await this.#post(this.#url, { janus: 'create' })).data?.id}`;
    const attached = await this.#post(session, { janus: 'attach', plugin: PLUGIN });
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

  async #events(session: string): Promise<Answer[]> {
    const signal = AbortSignal.timeout(REQUEST_DEADLINE_MS);
    return (await fetch(`${session}?maxev=${EVENTS_AT_ONCE}`, { signal })).json() as Promise<Answer[]>;
  }
}
