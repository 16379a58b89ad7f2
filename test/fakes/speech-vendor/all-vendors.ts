import { systemClock } from '../../../src/base/time.ts';
import { assemblyai } from '../assemblyai/manners.ts';
import { AssemblyAiStt } from '../assemblyai/stt-socket.ts';
import { cartesia } from '../cartesia/manners.ts';
import { CartesiaStt } from '../cartesia/stt-socket.ts';
import { CartesiaTts } from '../cartesia/tts-socket.ts';
import { deepgram } from '../deepgram/manners.ts';
import { DeepgramSttSocket } from '../deepgram/stt-socket.ts';
import { DeepgramTtsSocket } from '../deepgram/tts-socket.ts';
import { elevenlabs } from '../elevenlabs/manners.ts';
import { ElevenLabsSttSocket } from '../elevenlabs/stt-socket.ts';
import { ElevenLabsTtsSocket } from '../elevenlabs/tts-socket.ts';
import { OpenAiAudio } from '../openai/audio-routes.ts';
import { FakeOpenAi } from '../openai/fake-openai.ts';
import { openai } from '../openai/manners.ts';
import { FakeVendor, type VendorParts } from './fake-vendor.ts';

export const VENDORS = { elevenlabs, deepgram, cartesia, assemblyai, openai };
export type VendorName = keyof typeof VENDORS;
export const VENDOR_NAMES = Object.keys(VENDORS) as VendorName[];

const PARTS: Readonly<Record<VendorName, VendorParts>> = {
  elevenlabs: (key) => [new ElevenLabsTtsSocket(key, systemClock), new ElevenLabsSttSocket(key, systemClock)],
  deepgram: (key) => [new DeepgramTtsSocket(key, systemClock), new DeepgramSttSocket(key, systemClock)],
  cartesia: (key) => [new CartesiaTts(systemClock, key), new CartesiaStt(systemClock, key)],
  assemblyai: (key) => [new AssemblyAiStt(systemClock, key)],
  openai: (key) => [new OpenAiAudio(key), new FakeOpenAi(key)],
};

/** A whole vendor. `port` 0: any. */
export function startVendor(name: VendorName, port = 0): Promise<FakeVendor> {
  return FakeVendor.start(VENDORS[name], port, PARTS[name]);
}

/** All vendors, each on a port of its own. */
export class FakeVendors {
  readonly by: Readonly<Record<VendorName, FakeVendor>>;

  private constructor(by: Record<VendorName, FakeVendor>) {
    this.by = by;
  }

  static async start(): Promise<FakeVendors> {
    const started = VENDOR_NAMES.map(async (name) => [name, await startVendor(name)] as const);
    return new FakeVendors(Object.fromEntries(await Promise.all(started)) as Record<VendorName, FakeVendor>);
  }

  /** The gateway's settings for these vendors. */
  get settings(): Record<string, string> {
    return Object.fromEntries(Object.values(this.by).map(({ manners, url }) => [manners.setting, url]));
  }

  /** Every key that one of them knows. */
  get keys(): string[] {
    return Object.values(this.by).flatMap(({ keys }) => [...keys.keys()]);
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.by).map((vendor) => vendor.stop()));
  }
}
