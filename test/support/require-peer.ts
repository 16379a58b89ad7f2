import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const DEBIAN_PACKAGE = {
  baresip: 'baresip-core',
  sipp: 'sip-tester',
  'espeak-ng': 'espeak-ng',
  sox: 'sox',
  ffmpeg: 'ffmpeg',
  openssl: 'openssl',
  cc: 'gcc libc6-dev',
  chromium: 'chromium',
  pocketsphinx_continuous: 'pocketsphinx pocketsphinx-en-us',
} as const;

export type Peer = keyof typeof DEBIAN_PACKAGE;

/**
 * For `describe.skipIf(requirePeer('baresip'))`: true when the peer is missing and the tests are to be skipped. In CI
 * a missing peer throws instead, so that nothing is ever green for lack of the other side.
 */
export function requirePeer(...peers: Peer[]): boolean {
  const missing = peers.filter((peer) => !onPath(peer));
  if (missing.length === 0) return false;
  const hint = missing.map((peer) => `${peer} (Debian: apt-get install ${DEBIAN_PACKAGE[peer]})`).join(', ');
  if (process.env.CI) throw new Error(`missing peer: ${hint}`);
  console.warn(`skipped, missing peer: ${hint}`);
  return true;
}

function onPath(binary: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, binary)));
}
