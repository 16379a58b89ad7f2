import { PublicUrl } from './values.ts';

/** A setting that replaces the host of a vendor, those of all its regions. Keys go nowhere else. */
export function vendorHost(vendor: string, host: string) {
  return {
    default: null,
    shownDefault: host,
    schema: PublicUrl,
    meaning: `${vendor}, or a proxy of your own for it; one URL for all regions`,
  };
}
