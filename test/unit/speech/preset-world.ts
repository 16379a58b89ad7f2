import { onTestFinished } from 'vitest';
import { VendorQuota } from '../../../src/accounts/account/quotas.ts';
import { voiceConfigRoutes } from '../../../src/api/rest/voice-configs.ts';
import type { SpeechDomain } from '../../../src/speech/speech-domain.ts';
import { FakeVendors, VENDOR_NAMES, type VendorName } from '../../fakes/speech-vendor/all-vendors.ts';
import type { FakeVendor } from '../../fakes/speech-vendor/fake-vendor.ts';
import type { Answer } from '../../support/gateway-api.ts';
import { sphinxScript } from '../../support/speech/sphinx-script.ts';
import { waitFor } from '../../support/wait-for.ts';
import { accountServer } from '../api/account-server.ts';

export const PATH = '/api/voice-configs';

/** The preset routes on a real server, with all vendors beside it. */
export async function presetWorld() {
  sphinxScript('');
  const vendors = await FakeVendors.start();
  onTestFinished(() => vendors.stop());
  const urls = Object.fromEntries(VENDOR_NAMES.map((name) => [name, vendors.by[name].url]));
  let speech!: SpeechDomain;
  const server = await accountServer(({ store, clock }) => {
    speech = { store, clock, urls: urls as never, quota: new VendorQuota(clock) };
    return voiceConfigRoutes(speech);
  });
  const { settings } = server;
  return {
    ...server,
    speech,
    vendors: vendors.by,
    allKeys: vendors.keys,
    /** Creates a preset; of a vendor with its valid key. */
    create(provider: VendorName | 'local', fields: Record<string, unknown> = {}): Promise<Answer> {
      const key = provider === 'local' ? {} : { api_key: vendors.by[provider].keyThatIs('valid') };
      return settings.post(PATH, { kind: 'stt', provider, ...key, ...fields });
    },
    // biome-ignore lint/suspicious/noExplicitAny: tests read the fields that they need
    async list(): Promise<any[]> {
      return (await settings.get(PATH)).body.voice_configs;
    },
  };
}

/** Resolves when a vendor has been asked so many times. */
export async function asked(vendor: FakeVendor, times: number): Promise<void> {
  await waitFor(`${times} requests`, () => vendor.requests.length >= times);
}
