import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Baresip } from '../../test/support/baresip.ts';
import type { Gateway } from '../../test/support/gateway.ts';
import { tone } from '../../test/support/tone.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { writeWav } from '../../test/support/wav.ts';
import { AskedProcess } from './asked-process.ts';
import { type ToneLoss, ToneWatch } from './tone-watch.ts';
import { AGENT_TONE_HZ, AMPLITUDE, PHONE_TONE_HZ } from './tones.ts';

const LISTENER = join(import.meta.dirname, 'listener-program.ts');
const PHONE_RATE_HZ = 8_000;
/** Longer than two rounds. */
const LIFETIME_S = 3_000;

/** What the agent heard since it was last asked. */
interface AgentReport extends ToneLoss {
  /** As the gateway told it in `audio_overrun`. */
  readonly droppedMs: number;
  readonly isClosed: boolean;
}

/** What was lost in the call, each way. */
export interface CallLoss {
  readonly heardByAgentMs: number;
  readonly heardByPhoneMs: number;
  readonly lostToAgentMs: number;
  readonly lostToPhoneMs: number;
  readonly hasEnded: boolean;
}

/** A call between a SIP phone and an agent that both say a steady tone, and know when they miss some of the other's. */
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

  /** Calls the phone, again if a call was there before; resolves when each hears the other. */
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

  /** What was lost since it was last asked. */
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

/** A jump is a frame that is missing or was made up. */
function lostMs({ silentMs, phaseJumps }: ToneLoss): number {
  return silentMs + phaseJumps * 20;
}
