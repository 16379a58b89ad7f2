import { execFileSync } from 'node:child_process';
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
  buildah: 'buildah',
  debootstrap: 'debootstrap',
  'systemd-analyze': 'systemd',
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

/**
 * As `requirePeer`, for peers that need root anyway and that only some tests use: root on Debian installs them first.
 * Whoever is not root skips.
 */
export function requirePeerOfRoot(...peers: Peer[]): boolean {
  if (process.getuid?.() !== 0) {
    if (process.env.CI) throw new Error(`needs root: ${peers.join(', ')}`);
    console.warn(`skipped, needs root: ${peers.join(', ')}`);
    return true;
  }
  const packages = peers.filter((peer) => !onPath(peer)).flatMap((peer) => DEBIAN_PACKAGE[peer].split(' '));
  if (packages.length > 0 && onPath('apt-get')) {
    execFileSync('apt-get', ['update', '-q']);
    execFileSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...packages]);
  }
  return requirePeer(...peers);
}

function onPath(binary: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, binary)));
}
