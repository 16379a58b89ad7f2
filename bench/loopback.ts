/** Returns a loopback address on which all ports are free. On 127.0.0.1, thousands of free ports in a row are rare. */
export function ownLoopbackAddress(): string {
  return `127.${[0, 0, 0].map(() => 1 + Math.floor(Math.random() * 254)).join('.')}`;
}
