import * as z from 'zod';
import type { AskVendor, VendorHeaders } from '../ask-vendor.ts';
import { type KeyManners, type VendorError, verdictOf } from '../key-verdict.ts';
import type { KeyVerdict } from '../provider.ts';

const ErrorBody = z.object({ error: z.string() });

/** The key alone, without a scheme. */
const headers: VendorHeaders = (key) => ({ Authorization: key });

const MANNERS: KeyManners = { readError, codes: {} };

/** Asks for a token that lives for a minute and is never used. */
export async function checkKey(ask: AskVendor): Promise<KeyVerdict> {
  return verdictOf(await ask('/v3/token?expires_in_seconds=60', headers), MANNERS);
}

function readError(body: unknown): VendorError {
  return { code: '', words: ErrorBody.safeParse(body).data?.error ?? '' };
}
