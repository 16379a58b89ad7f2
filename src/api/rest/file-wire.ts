import type { z } from 'zod';
import { fileUrl } from '../../files/file-url.ts';
import type { Slot } from '../../files/reserve-file.ts';
import type { Upload } from '../../files/upload-file.ts';
import type { File, ReservedFile } from '../schema/file.ts';

/** The API representation of an uploaded file. */
export function fileWire({ file, token }: Upload, publicUrl: string): z.output<typeof File> {
  return {
    file_id: file.id,
    url: fileUrl(publicUrl, token),
    name: file.name,
    mime: file.mime,
    size: file.sizeBytes ?? 0,
    expires_at: file.expiresAt,
  };
}

export function slotWire(slot: Slot, publicUrl: string): z.output<typeof ReservedFile> {
  return {
    file_id: slot.fileId,
    upload_url: `${publicUrl}/api/files/upload/${slot.secret}`,
    expires_at: slot.expiresAt,
  };
}
