/** Where addons send people who began at the gateway; those that began at the Nextcloud stay there. */
export const END_PATHS = ['/dashboard', '/dashboard/platforms'] as const;

/** Why an addon did not finish, by its codes. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['missing_params', 'The Nextcloud did not get all that it needs; start again'],
  ['state_missing', 'The Nextcloud knows of no such attempt; start again there'],
  ['state_mismatch', 'Another attempt was begun at the Nextcloud meanwhile; start again there'],
  ['state_expired', 'It took longer than 10 minutes; start again'],
  ['admin_mismatch', 'Another administrator of the Nextcloud has begun it; start again there'],
  [
    'unsafe_urls',
    'The Nextcloud does not accept the URLs of this gateway; its operator has to set SVC_PUBLIC_URL',
  ],
  [
    'bot_creation_failed',
    'The Nextcloud could not make the bot, or this gateway could not reach the Nextcloud to try it; its log says more',
  ],
]);

/** Reads `?connected=nctalk`, `?error=nctalk_<code>`, and the `?nctalk=connected` of the older way. */
export function pairingEnd({
  connected,
  error,
  nctalk,
}: Readonly<Record<string, string>>): 'connected' | { readonly failed: string } | null {
  if (connected === 'nctalk' || nctalk === 'connected') return 'connected';
  const code = /^nctalk_(\w{1,64})$/.exec(error ?? '')?.[1];
  if (code === undefined) return null;
  return { failed: REASONS.get(code) ?? 'The Nextcloud did not say why; start again' };
}
