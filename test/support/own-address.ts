import { networkInterfaces } from 'node:os';

/** This machine's IPv4 address where there is one beside loopback, which some peers of WebRTC do not use. */
export function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}
