import { isoAfter } from '../../base/time.ts';
import { hashToken, newToken } from '../../base/tokens.ts';
import { insertSignIn } from '../../store/people/sign-ins.ts';
import type { SignInSecrets } from './identity-provider.ts';
import { noteFailure, providerNamed, type SignIns } from './sign-ins.ts';

/** How long a person has to sign in at the provider. */
export const SIGN_IN_DEADLINE_MS = 600_000;

export interface StartedSignIn {
  /** The URL to redirect the browser to. */
  readonly url: string;
  /** The browser must keep it too, so that no other browser can complete the sign-in. */
  readonly state: string;
}

/**
 * Starts a sign-in with a provider. With an `accountId`, the identity will be linked to that account. Throws
 * `identity_provider_not_found` and `identity_provider_failed`.
 */
export async function startSignIn(
  signIns: SignIns,
  providerName: string,
  { accountId, callbackUrl }: { readonly accountId: string | null; readonly callbackUrl: string },
): Promise<StartedSignIn> {
  const { store, clock } = signIns;
  const provider = providerNamed(signIns, providerName);
  const secrets = newSecrets();
  const url = await provider
    .authorizationUrl(secrets, callbackUrl)
    .catch((error: unknown) => noteFailure(signIns, providerName, error));
  const createdAt = clock.nowIso();
  const expiresAt = isoAfter(createdAt, SIGN_IN_DEADLINE_MS);
  const { state, ...kept } = secrets;
  const known = { accountId, provider: providerName, createdAt, expiresAt };
  await insertSignIn(store.db, store.secrets, { stateHash: hashToken(state), ...known, ...kept });
  return { url, state };
}

function newSecrets(): SignInSecrets {
  return { state: newToken(), nonce: newToken(), codeVerifier: newToken() };
}
