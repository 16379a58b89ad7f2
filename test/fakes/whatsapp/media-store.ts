import { createHash, randomInt } from 'node:crypto';
import { type ApiError, badParameter } from './graph-errors.ts';

const MB = 1_048_576;
const URL_VALID_MS = 5 * 60_000;

/** Types that Meta takes, and up to what size: "Supported media types". Everything else it refuses. */
const LIMITS_BYTES: Readonly<Record<string, number>> = {
  'image/jpeg': 5 * MB,
  'image/png': 5 * MB,
  'image/webp': 0.5 * MB,
  'video/mp4': 16 * MB,
  'video/3gpp': 16 * MB,
  'audio/aac': 16 * MB,
  'audio/amr': 16 * MB,
  'audio/mpeg': 16 * MB,
  'audio/mp4': 16 * MB,
  'audio/ogg': 16 * MB,
  'application/pdf': 100 * MB,
  'application/msword': 100 * MB,
  'application/vnd.ms-excel': 100 * MB,
  'text/plain': 100 * MB,
};

export interface StoredMedia {
  readonly id: string;
  readonly mime: string;
  readonly name: string;
  readonly bytes: Buffer;
}

/** Media that either side has given to the fake. */
export class MediaStore {
  readonly #byId = new Map<string, StoredMedia>();
  readonly #byPath = new Map<string, { readonly media: StoredMedia; readonly validUntilMs: number }>();

  add(mime: string, name: string, bytes: Buffer): StoredMedia {
    const media = { id: `${randomInt(1e9, 1e10)}${randomInt(1e5, 1e6)}`, mime, name, bytes };
    this.#byId.set(media.id, media);
    return media;
  }

  find(id: string): StoredMedia | undefined {
    return this.#byId.get(id);
  }

  /** As after 30 days. */
  evict(id: string): void {
    this.#byId.delete(id);
  }

  /** Stores a multipart upload, or returns the error with which Meta refuses it. */
  async upload(contentType: string, body: Buffer): Promise<StoredMedia | ApiError> {
    if (!contentType.startsWith('multipart/form-data')) return badParameter('not multipart/form-data');
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': contentType },
    }).formData();
    const file = form.get('file');
    if (form.get('messaging_product') !== 'whatsapp') return badParameter('messaging_product is required');
    if (!(file instanceof File)) return badParameter('file is required');
    const limitBytes = LIMITS_BYTES[file.type];
    if (limitBytes === undefined) {
      const types = Object.keys(LIMITS_BYTES).join(', ');
      return badParameter(
        `Param file must be a file with one of the following types: ${types}. Received file of type '${file.type}'.`,
      );
    }
    if (file.size > limitBytes) return badParameter(`the file is larger than ${limitBytes} bytes`);
    return this.add(file.type, file.name, Buffer.from(await file.arrayBuffer()));
  }

  /** What `GET /{media id}` answers; the address is good for five minutes. */
  describe(media: StoredMedia, baseUrl: string, nowMs: number): object {
    const path = `/whatsapp_business/attachments/?mid=${media.id}&ext=${this.#byPath.size}`;
    this.#byPath.set(path, { media, validUntilMs: nowMs + URL_VALID_MS });
    return {
      messaging_product: 'whatsapp',
      url: `${baseUrl}${path}`,
      mime_type: media.mime,
      sha256: createHash('sha256').update(media.bytes).digest('hex'),
      file_size: `${media.bytes.length}`,
      id: media.id,
    };
  }

  /** What is at an address that `describe` gave out, as long as it is good. */
  at(path: string, nowMs: number): StoredMedia | undefined {
    const found = this.#byPath.get(path);
    return found && found.validUntilMs > nowMs ? found.media : undefined;
  }
}
