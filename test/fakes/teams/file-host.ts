import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { answer } from './refusal.ts';

interface StoredFile {
  readonly bytes: Buffer;
  readonly mime: string;
}

/** A person's OneDrive: pre-authorized downloads, and upload sessions. Also the attachments of the service. */
export class FileHost {
  readonly files = new Map<string, StoredFile>();
  /** What was uploaded to sessions, by their id; null: nothing yet. */
  readonly uploads = new Map<string, Buffer | null>();
  readonly #origin: () => string;

  constructor(origin: () => string) {
    this.#origin = origin;
  }

  /** Returns the address from which anybody can download the file. */
  share(bytes: Buffer, mime: string): string {
    return `${this.#origin()}/files/${this.#keep(bytes, mime)}`;
  }

  /** Returns the address from which the bot can download an inline image. */
  inline(bytes: Buffer, mime: string): string {
    return `${this.#origin()}/teams/v3/attachments/${this.#keep(bytes, mime)}/views/original`;
  }

  openSession(): { readonly id: string; readonly url: string } {
    const id = randomBytes(9).toString('base64url');
    this.uploads.set(id, null);
    return { id, url: `${this.#origin()}/uploads/${id}` };
  }

  download(id: string, response: ServerResponse): void {
    const file = this.files.get(id);
    if (!file) return answer(response, 404, { error: { code: 'itemNotFound', message: 'Not found' } });
    response.writeHead(200, { 'Content-Type': file.mime, 'Content-Length': file.bytes.length });
    response.end(file.bytes);
  }

  /** https://learn.microsoft.com/graph/api/driveitem-createuploadsession, in one piece. An empty file has no range. */
  async upload(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await buffer(request);
    const range = `bytes 0-${bytes.length - 1}/${bytes.length}`;
    const isWhole = bytes.length > 0 && request.headers['content-range'] === range;
    if (request.method !== 'PUT' || !this.uploads.has(id) || !isWhole)
      return answer(response, 400, { error: { code: 'invalidRange', message: 'Invalid range' } });
    if (request.headers.authorization !== undefined)
      return answer(response, 401, { error: { code: 'unauthenticated', message: 'Unexpected token' } });
    this.uploads.set(id, bytes);
    answer(response, 201, { id, size: bytes.length });
  }

  #keep(bytes: Buffer, mime: string): string {
    const id = randomBytes(9).toString('base64url');
    this.files.set(id, { bytes, mime });
    return id;
  }
}
