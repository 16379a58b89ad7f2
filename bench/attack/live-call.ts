import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Baresip } from '../../test/support/baresip.ts';
import type { Gateway } from '../../test/support/gateway.ts';
import { tone } from '../../test/support/tone.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { writeWav } from '../../test/support/wav.ts';
import { AskedProcess } from './asked-process.ts';
import { AGENT_TONE_HZ, AMPLITUDE, PHONE_TONE_HZ, type ToneLoss, ToneWatch } from './tone-watch.ts';

const LISTENER = join(import.meta.dirname, 'listener-program.ts');
const PHONE_RATE_HZ = 8_000;
/** Longer than two rounds. */
const LIFETIME_S = 3_000;

/** What the agent heard since the last report. */
interface AgentReport extends ToneLoss {
  /** As reported by the gateway in `call_error`. */
  readonly droppedMs: number;
  readonly isClosed: boolean;
}

/** Audio lost in the call, in each direction. */
export interface CallLoss {
  readonly heardByAgentMs: number;
  readonly heardByPhoneMs: number;
  readonly lostToAgentMs: number;
  readonly lostToPhoneMs: number;
  readonly hasEnded: boolean;
}

/** A call between a SIP phone and an agent. Each plays a steady tone and detects losses in the other's. */
export class LiveCall {
  readonly phone: Baresip;
  readonly #gateway: Gateway;
  readonly #folder: string;
  #listener: AskedProcess<AgentReport> | null = null;
  #phoneWatch = newPhoneWatch();
  #recordedSamples = 0;
  #callId = '';
  #streamUrl = '';

  private constructor(gateway: Gateway, phone: Baresip, folder: string) {
    this.#gateway = gateway;
    this.phone = phone;
    this.#folder = folder;
  }

  static async start(gateway: Gateway): Promise<LiveCall> {
    const folder = mkdtempSync(join(tmpdir(), 'attack-tone-'));
    const wavPath = join(folder, 'tone.wav');
    const samples = tone(PHONE_TONE_HZ, PHONE_RATE_HZ, PHONE_RATE_HZ * LIFETIME_S, { amplitude: AMPLITUDE });
    writeWav(wavPath, { sampleRateHz: PHONE_RATE_HZ, channels: [samples] });
    const phone = await Baresip.start({
      ...{ user: 'phone', answer: 'auto', codecs: ['PCMU'], source: { wavPath }, lifetimeS: LIFETIME_S },
    });
    const call = new LiveCall(gateway, phone, folder);
    await call.begin();
    return call;
  }

  get callId(): string {
    return this.#callId;
  }

  get streamUrl(): string {
    return this.#streamUrl;
  }

  /** Calls the phone, also again after a call has ended. Resolves when each side hears the other. */
  async begin(): Promise<void> {
    this.#listener?.stop();
    const recordings = this.phone.recordings().length;
    await this.#gateway.putTrunk({ host: '127.0.0.1', port: this.phone.sipPort });
    const { call_id: callId, audio } = await this.#gateway.placeCall(this.phone.uri);
    await this.#gateway.waitForState(callId, 'active');
    this.#callId = callId;
    this.#streamUrl = audio.stream_url;
    this.#listener = await AskedProcess.start(LISTENER, [audio.stream_url, this.#gateway.agentKey]);
    this.#phoneWatch = newPhoneWatch();
    this.#recordedSamples = 0;
    await waitFor('the phone to record', () => this.phone.recordings().length > recordings);
    await waitFor('both to hear each other', () => this.#isSteady(), 15_000);
  }

  /** Returns the losses since the last call. */
  async takeLoss(): Promise<CallLoss> {
    const atAgent = await this.#listener!.ask();
    this.#followRecording();
    const atPhone = this.#phoneWatch.take();
    return {
      heardByAgentMs: atAgent.windows * 10,
      heardByPhoneMs: atPhone.windows * 10,
      lostToAgentMs: atAgent.droppedMs + lostMs(atAgent),
      lostToPhoneMs: lostMs(atPhone),
      hasEnded: atAgent.isClosed,
    };
  }

  async stop(): Promise<void> {
    this.#listener?.stop();
    await this.phone.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #isSteady(): Promise<boolean> {
    const loss = await this.takeLoss();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { heardByAgentMs, heardByPhoneMs, lostToAgentMs, lostToPhoneMs } = loss;
    return heardByAgentMs > 300 && heardByPhoneMs > 300 && lostToAgentMs + lostToPhoneMs === 0;
  }

  #followRecording(): void {
    const samples = this.phone.recordings().at(-1)?.samples ?? new Int16Array();
    this.#phoneWatch.hear(samples.subarray(this.#recordedSamples));
    this.#recordedSamples = samples.length;
  }
}

function newPhoneWatch(): ToneWatch {
  return new ToneWatch(PHONE_RATE_HZ, AGENT_TONE_HZ, AMPLITUDE);
}

/** A phase jump is a missing or concealed frame. */
function lostMs({ silentMs, phaseJumps }: ToneLoss): number {
  return silentMs + phaseJumps * 20;
}
