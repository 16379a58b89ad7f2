import { FakeVendor } from './fake-vendor.ts';
import type { VendorManners } from './vendor-manners.ts';

/** Starts a vendor and says how to use it. */
export async function announceVendor(manners: VendorManners, port: number): Promise<void> {
  const fake = await FakeVendor.start(manners, port);
  const { name, setting } = manners;
  const key = fake.keyThatIs('valid');
  console.log(`The part of ${name} that presets need: ${fake.url}

Start the gateway with it, and create a preset:

  ${setting}=${fake.url} npm start
  curl $BASE/api/voice-configs -H "X-API-Key: $SETTINGS_KEY" -d '{"kind":"stt","provider":"${name}","api_key":"${key}"}'

Keys that lack a permission and money: ${fake.keyThatIs('missing_scope')} ${fake.keyThatIs('out_of_funds')}
Any other key is wrong. Press Ctrl-C to stop it.`);
}
