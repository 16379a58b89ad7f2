import { expect } from 'vitest';
import { ReadingTime } from '../../../src/base/reading-time.ts';
import type { SpeechPreset } from '../../../src/speech/speech-preset.ts';
import type { Recognizer, RecognizerObserver } from '../../../src/speech/stt/recognizer.ts';
import { recognizerBy, type SttVendor } from '../../../src/speech/stt/stream-recognizer.ts';
import { synthesizerBy, type TtsVendor } from '../../../src/speech/tts/stream-synthesizer.ts';
import type { Synthesizer, SynthesizerObserver } from '../../../src/speech/tts/synthesizer.ts';
import type { VendorSocketDeps } from '../../../src/speech/vendor-socket.ts';
import { SpeechHost, type VendorPart } from '../../fakes/speech-host.ts';
import { SocketClock } from '../../support/socket-clock.ts';

export const KEY = 'key_0123456789abcdef';

export interface ClientOptions {
  /** Those of the preset. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly key?: string;
  readonly rateHz?: number;
}

/** What a world is made of: the vendor's fake, our client of it, and the observer that notes what the client reports. */
export interface WorldParts<Vendor, Client, Recorded> {
  readonly vendor: (clock: SocketClock) => Vendor;
  readonly client: (
    preset: SpeechPreset,
    rateHz: number,
    deps: VendorSocketDeps,
    recorded: Recorded,
  ) => Client;
  readonly recorded: Recorded;
}

/** What a world needs of a fake. Those with WebSockets note their addresses. */
interface WorldVendor extends VendorPart {
  readonly upgrades?: readonly { readonly url: string }[];
}

interface WorldClient {
  close(): Promise<void>;
}

/** Returns what makes recognizers of a vendor in a world. */
export function recognizerClient(vendor: SttVendor) {
  return (
    preset: SpeechPreset,
    rateHz: number,
    deps: VendorSocketDeps,
    observer: RecognizerObserver,
  ): Recognizer => recognizerBy(vendor, deps)(preset, rateHz, observer);
}

/** Returns what makes synthesizers of a vendor in a world. */
export function synthesizerClient(vendor: TtsVendor) {
  return (
    preset: SpeechPreset,
    rateHz: number,
    deps: VendorSocketDeps,
    observer: SynthesizerObserver,
  ): Synthesizer => synthesizerBy(vendor, deps)(preset, rateHz, observer);
}

/** A vendor on loopback and clients of it. Time passes only while a test waits for it. */
export class VendorWorld<Vendor extends WorldVendor, Client extends WorldClient, Recorded> {
  readonly clock: SocketClock;
  readonly vendor: Vendor;
  readonly host: SpeechHost;
  readonly recorded: Recorded;
  readonly #newClient: WorldParts<Vendor, Client, Recorded>['client'];
  readonly #clients: Client[] = [];

  private constructor(
    clock: SocketClock,
    vendor: Vendor,
    host: SpeechHost,
    { client, recorded }: WorldParts<Vendor, Client, Recorded>,
  ) {
    this.clock = clock;
    this.vendor = vendor;
    this.host = host;
    this.recorded = recorded;
    this.#newClient = client;
  }

  static async start<Vendor extends WorldVendor, Client extends WorldClient, Recorded>(
    parts: WorldParts<Vendor, Client, Recorded>,
  ): Promise<VendorWorld<Vendor, Client, Recorded>> {
    const clock = new SocketClock();
    const vendor = parts.vendor(clock);
    return new VendorWorld(clock, vendor, await SpeechHost.start(vendor), parts);
  }

  /** The client that was connected last. */
  get client(): Client {
    return this.#clients.at(-1)!;
  }

  connect({ options = {}, key = KEY, rateHz = 16_000 }: ClientOptions = {}): Client {
    const { clock, host, recorded } = this;
    const deps = { clock, random: () => 0, reader: new ReadingTime(clock).of('acc_a') };
    const client = this.#newClient({ url: host.url, key, options }, rateHz, deps, recorded);
    this.#clients.push(client);
    return client;
  }

  /** Closes all clients. Throws if a connection is left, or the key was in what they have reported or in an address. */
  async stop(): Promise<void> {
    await this.clock.settled('the end', Promise.all(this.#clients.map((client) => client.close())));
    await this.clock.until('closed connections', () => this.host.openSockets === 0);
    await this.host.stop();
    const urls = this.vendor.upgrades?.map(({ url }) => url);
    expect(JSON.stringify([this.recorded, urls])).not.toContain(KEY);
  }
}
