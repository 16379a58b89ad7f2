import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BaresipOptions, LOUDSPEAKER, writeBaresipFolder } from './baresip-config.ts';
import { BaresipControl, type BaresipEvent } from './baresip-control.ts';
import { Child } from './child.ts';
import { claimRtpPorts, claimSignalingPorts, type PortClaim } from './free-ports.ts';
import { waitFor } from './wait-for.ts';
import { readMonoWav } from './wav.ts';

const START_DEADLINE_MS = 30_000;
const RTP_PORT_COUNT = 32;
/** It exits by itself, in case the test process was killed. */
const DEFAULT_LIFETIME_S = 600;

/** The resources of a running baresip. */
interface BaresipParts {
  readonly child: Child;
  readonly control: BaresipControl;
  readonly folder: string;
  readonly claims: readonly PortClaim[];
}

/** baresip as a telephone without a sound card: its microphone and its loudspeaker are WAV files. */
export class Baresip {
  /** Where a trunk or a caller reaches it directly. */
  readonly uri: string;
  readonly sipPort: number;
  readonly #folder: string;
  readonly #child: Child;
  readonly #control: BaresipControl;
  readonly #claims: readonly PortClaim[];

  private constructor(options: BaresipOptions, sipPort: number, parts: BaresipParts) {
    this.#child = parts.child;
    this.#control = parts.control;
    this.#folder = parts.folder;
    this.#claims = parts.claims;
    this.sipPort = sipPort;
    const transport = options.transport ?? 'udp';
    this.uri = `sip:${options.user}@127.0.0.1:${sipPort}${transport === 'udp' ? '' : `;transport=${transport}`}`;
  }

  /** Starts it and waits until it takes commands. Its SIP port stays the same for its whole life. */
  static async start(options: BaresipOptions): Promise<Baresip> {
    const signaling = await claimSignalingPorts(4);
    const rtp = await claimRtpPorts(RTP_PORT_COUNT);
    const folder = mkdtempSync(join(tmpdir(), 'baresip-'));
    const ports = {
      sip: signaling.first + 1,
      control: signaling.first + 3,
      rtpMin: rtp.first,
      rtpMax: rtp.last,
    };
    writeBaresipFolder(folder, options, ports);
    const child = new Child('baresip', [
      '-4',
      '-f',
      folder,
      '-t',
      `${options.lifetimeS ?? DEFAULT_LIFETIME_S}`,
    ]);
    try {
      const control = await BaresipControl.open(ports.control, START_DEADLINE_MS);
      return new Baresip(options, ports.sip, { child, control, folder, claims: [signaling, rtp] });
    } catch (error) {
      await child.stop();
      for (const claim of [signaling, rtp]) claim.release();
      rmSync(folder, { recursive: true, force: true });
      throw new Error(`${(error as Error).message}\n${child.output}`);
    }
  }

  /** Everything it has told so far. */
  get events(): readonly BaresipEvent[] {
    return this.#control.events.all;
  }

  /** The certificate that a phone with `transport: 'tls'` shows, in PEM. */
  get certificatePath(): string {
    return join(this.#folder, 'cert.pem');
  }

  /** What it printed: its own view of SIP and media. */
  get output(): string {
    return this.#child.output;
  }

  /** The digits it heard as RFC 4733 events, in order. */
  get receivedDigits(): string {
    const starts = this.events.filter((event) => event.type === 'CALL_DTMF_START');
    return starts.map((event) => event.param ?? '').join('');
  }

  /** The next event of a type (`CALL_INCOMING`, `CALL_ESTABLISHED`, `CALL_CLOSED`, `REGISTER_OK`…). */
  waitFor(type: string, deadlineMs?: number): Promise<BaresipEvent> {
    return this.#control.events.next(`${type} from baresip`, (event) => event.type === type, deadlineMs);
  }

  /** Waits for the first successful REGISTER, which may be over before the control connection can tell of it. */
  async waitUntilRegistered(deadlineMs?: number): Promise<void> {
    await waitFor('baresip to register', () => /200 OK .*binding/.test(this.output), deadlineMs);
  }

  async dial(uri: string): Promise<void> {
    await this.#control.command('dial', uri);
  }

  async answer(): Promise<void> {
    await this.#control.command('accept');
  }

  /** Ends the call, or refuses the one that rings. */
  async hangUp(): Promise<void> {
    await this.#control.command('hangup');
  }

  async hold(): Promise<void> {
    await this.#control.command('hold');
  }

  async resume(): Promise<void> {
    await this.#control.command('resume');
  }

  /** Codec, encryption and packets of the call that it is in, as text. */
  mediaReport(): Promise<string> {
    return this.#control.command('audio_debug');
  }

  /** Says what it hears from now on, instead of what its microphone picks up. Takes effect in a call only. */
  async echo(): Promise<void> {
    await this.#control.command('ausrc', LOUDSPEAKER);
  }

  async sendDtmf(digits: string): Promise<void> {
    for (const digit of digits) await this.#control.command('sndcode', digit);
  }

  /** Any command of its menu, with what it prints. */
  command(command: string, params = ''): Promise<string> {
    return this.#control.command(command, params);
  }

  /**
   * What it heard, one recording a call, complete once the call is closed. After a hold baresip 1.0.0 records no more
   * (it plays on), so a recording ends at the first hold.
   */
  recordings(): { sampleRateHz: number; samples: Int16Array }[] {
    const folder = join(this.#folder, 'rec');
    const names = readdirSync(folder).filter((name) => name.endsWith('-dec.wav'));
    return names.sort().map((name) => readMonoWav(join(folder, name)));
  }

  /** The loudest sample of the last half second that it has heard on its last call, which may go on. */
  lastPeak(): number {
    const { samples, sampleRateHz } = this.recordings().at(-1) ?? {
      samples: new Int16Array(),
      sampleRateHz: 0,
    };
    return samples.subarray(-sampleRateHz / 2).reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
  }

  /** Stops it and removes its folder; safe to call twice. Read recordings before. */
  async stop(): Promise<void> {
    this.#control.close();
    await this.#child.stop();
    for (const claim of this.#claims) claim.release();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
