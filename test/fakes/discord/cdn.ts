import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** A file of a message. */
export interface StoredFile {
  readonly id: string;
  readonly channelId: string;
  readonly name: string;
  readonly mime: string;
  readonly bytes: Buffer;
  readonly description?: string;
  /** Of a voice message: its length, and its loudness over time in base64. */
  readonly voice?: { readonly durationS: number; readonly waveform: string };
}

/** How long an address is good. */
const SIGNED_FOR_S = 24 * 3_600;

/**
 * Files of messages, at addresses that are signed and expire
 * (https://docs.discord.com/developers/reference#signed-attachment-cdn-urls).
 */
export class Cdn {
  readonly #key = randomBytes(32);
  readonly #files = new Map<string, StoredFile>();
  readonly #baseUrl: string;
  readonly #nowMs: () => number;

  constructor(baseUrl: string, nowMs: () => number) {
    this.#baseUrl = baseUrl;
    this.#nowMs = nowMs;
  }

  keep(file: StoredFile): StoredFile {
    this.#files.set(file.id, file);
    return file;
  }

  /** The message is gone, and its files with it. */
  forget(id: string): void {
    this.#files.delete(id);
  }

  /** A fresh address. */
  urlOf({ channelId, id, name }: StoredFile): string {
    const path = `/attachments/${channelId}/${id}/${encodeURIComponent(name)}`;
    const issuedS = Math.floor(this.#nowMs() / 1_000);
    const times = `ex=${hex(issuedS + SIGNED_FOR_S)}&is=${hex(issuedS)}`;
    return `${this.#baseUrl}${path}?${times}&hm=${this.#signature(path, times)}&`;
  }

  /** What is at an address, as long as it is good. */
  at({ pathname, searchParams }: URL): StoredFile | null {
    const times = `ex=${searchParams.get('ex')}&is=${searchParams.get('is')}`;
    const expected = Buffer.from(this.#signature(pathname, times));
    const given = Buffer.from(searchParams.get('hm') ?? '');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    if (Number.parseInt(searchParams.get('ex') ?? '', 16) <= this.#nowMs() / 1_000) return null;
    return this.#files.get(pathname.split('/')[3] ?? '') ?? null;
  }

  #signature(path: string, times: string): string {
    return createHmac('sha256', this.#key).update(`${path}?${times}`).digest('hex');
  }
}

function hex(value: number): string {
  return value.toString(16);
}
