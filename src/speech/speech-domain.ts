import type { VendorQuota } from '../accounts/account/quotas.ts';
import type { SpeechProviderName } from '../base/speech.ts';
import type { Clock } from '../base/time.ts';
import type { Store } from '../store/store.ts';

/** Hosts in place of the providers' own, without trailing slashes. Null: their own. */
export type SpeechUrls = { readonly [name in Exclude<SpeechProviderName, 'local'>]: string | null };

/** Dependencies of hosted speech, built once by the composition root. */
export interface SpeechDomain {
  readonly store: Store;
  readonly clock: Clock;
  readonly urls: SpeechUrls;
  readonly quota: VendorQuota;
}
