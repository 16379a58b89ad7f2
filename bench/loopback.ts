/** On an address of its own a program may have all ports: thousands of free ones in a row are rare on 127.0.0.1. */
export function ownLoopbackAddress(): string {
  return `127.${[0, 0, 0].map(() => 1 + Math.floor(Math.random() * 254)).join('.')}`;
}
