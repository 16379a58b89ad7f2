import { randomBytes } from 'node:crypto';

/** A file as the media endpoint takes it. */
export interface Upload {
  readonly name: string;
  readonly mime: string;
  readonly sizeBytes: number;
  /** Its bytes, from the beginning. */
  open(): AsyncIterable<Uint8Array>;
}

const BOUNDARY_BYTES = 16;

/** A `multipart/form-data` request (RFC 7578) whose length is known beforehand and whose file is never whole in memory. */
export function multipartUpload(file: Upload): {
  readonly headers: Record<string, string>;
  readonly body: ReadableStream<Uint8Array>;
} {
  const boundary = `upload-${randomBytes(BOUNDARY_BYTES).toString('hex')}`;
  const before = Buffer.from(
    field(boundary, 'messaging_product', 'whatsapp') +
      field(boundary, 'type', file.mime) +
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escaped(file.name)}"\r\n` +
      `Content-Type: ${file.mime}\r\n\r\n`,
  );
  const after = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': `${before.length + file.sizeBytes + after.length}`,
    },
    body: ReadableStream.from(parts(before, file, after)),
  };
}

async function* parts(before: Uint8Array, file: Upload, after: Uint8Array): AsyncGenerator<Uint8Array> {
  yield before;
  yield* file.open();
  yield after;
}

function field(boundary: string, name: string, value: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

/** As browsers write names (HTML, "multipart/form-data encoding algorithm"). */
function escaped(name: string): string {
  return name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}
