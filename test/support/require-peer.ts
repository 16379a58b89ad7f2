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
  'firefox-esr': 'firefox-esr',
  pulseaudio: 'pulseaudio',
  pocketsphinx_continuous: 'pocketsphinx pocketsphinx-en-us',
  buildah: 'buildah',
  debootstrap: 'debootstrap',
  'systemd-analyze': 'systemd',
  curl: 'curl',
  'nextcloud-spreed-signaling-server': 'nextcloud-spreed-signaling/bookworm-backports',
  'python3-websockets': 'python3 python3-websockets',
  janus: 'janus',
  turnserver: 'coturn',
  kamailio: 'kamailio',
  'recorded voices': 'asterisk-core-sounds-en-wav asterisk-core-sounds-fr-wav',
  'hold music': 'asterisk-moh-opsound-wav',
} as const;

export type Peer = keyof typeof DEBIAN_PACKAGE;

/** Peers that are no programs. */
const FILES: Partial<Record<Peer, string>> = {
  'python3-websockets': '/usr/lib/python3/dist-packages/websockets/__init__.py',
  'recorded voices': '/usr/share/asterisk/sounds/fr_CA_f_June/vm-options.wav',
  'hold music': '/usr/share/asterisk/moh/macroform-cold_day.wav',
};

/**
 * For `describe.skipIf(requirePeer('baresip'))`: true when the peer is missing and the tests are to be skipped. In CI
 * a missing peer throws instead, so that nothing is ever green for lack of the other side.
 */
export function requirePeer(...peers: Peer[]): boolean {
  const missing = peers.filter((peer) => !isInstalled(peer));
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
  const packages = peers
    .filter((peer) => !isInstalled(peer))
    .flatMap((peer) => DEBIAN_PACKAGE[peer].split(' '));
  if (packages.length > 0 && existsSync('/usr/bin/apt-get')) {
    execFileSync('apt-get', ['update', '-q']);
    execFileSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...packages]);
  }
  return requirePeer(...peers);
}

function isInstalled(peer: Peer): boolean {
  const file = FILES[peer];
  if (file !== undefined) return existsSync(file);
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, peer)));
}
