import type { AttachmentSource } from '../../files/resolve-attachments.ts';
import type { AttachmentBody } from '../schema/attachment.ts';

/** Converts a request's attachments for the domain. */
export function attachmentSources(bodies: readonly AttachmentBody[]): AttachmentSource[] {
  return bodies.map(sourceOf);
}

function sourceOf(body: AttachmentBody): AttachmentSource {
  if ('file_id' in body) return { fileId: body.file_id };
  if ('url' in body) return { url: body.url, name: body.name ?? null, mime: body.mime ?? null };
  return { bytes: Buffer.from(body.bytes_b64, 'base64'), name: body.name, mime: body.mime };
}
