import { assemblyai } from '../assemblyai/manners.ts';
import { cartesia } from '../cartesia/manners.ts';
import { deepgram } from '../deepgram/manners.ts';
import { elevenlabs } from '../elevenlabs/manners.ts';
import { openai } from '../openai/manners.ts';
import { FakeVendor } from './fake-vendor.ts';

export const VENDORS = { elevenlabs, deepgram, cartesia, assemblyai, openai };
export type VendorName = keyof typeof VENDORS;
export const VENDOR_NAMES = Object.keys(VENDORS) as VendorName[];

/** All vendors, each on a port of its own. */
export class FakeVendors {
  readonly by: Readonly<Record<VendorName, FakeVendor>>;

  private constructor(by: Record<VendorName, FakeVendor>) {
    this.by = by;
  }

  static async start(): Promise<FakeVendors> {
    const started = VENDOR_NAMES.map(async (name) => [name, await FakeVendor.start(VENDORS[name])] as const);
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
