/** Frames of `<length>:<bytes>,`, in which baresip's control port speaks. */
export function encodeNetstring(text: string): string {
  return `${Buffer.byteLength(text)}:${text},`;
}

/** Collects a byte stream and hands out whole frames. */
export class NetstringReader {
  #rest: Buffer = Buffer.alloc(0);

  push(bytes: Buffer): string[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const frames: string[] = [];
    for (;;) {
      const colon = this.#rest.indexOf(':');
      if (colon < 0) return frames;
      const start = colon + 1;
      const end = start + Number(this.#rest.toString('latin1', 0, colon));
      if (this.#rest.length <= end) return frames;
      frames.push(this.#rest.toString('utf8', start, end));
      this.#rest = this.#rest.subarray(end + 1);
    }
  }
}
