import * as z from 'zod';
import { field } from '../../../base/platform-json.ts';
import type { InboundFile } from '../../contract/messenger.ts';
import type { AllowedHosts } from '../auth/allowed-hosts.ts';

const DOWNLOAD_INFO = 'application/vnd.microsoft.teams.file.download.info';
/** Pasted pictures, and what was recorded in a chat. */
const INLINE = /^(?:image|audio|video)\//;
const UNKNOWN_TYPE = 'application/octet-stream';

const Attachment = z.object({
  contentType: z.string(),
  contentUrl: field(z.string()),
  name: field(z.string()),
  content: z.unknown().optional(),
});
const DownloadInfo = z.object({ downloadUrl: z.string().min(1), fileType: field(z.string()) });

/** Types by the extensions that Teams gives as `fileType`. */
const TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  txt: 'text/plain',
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
};

/** Hosts that files are downloaded from. */
export interface FileHosts {
  /** People's OneDrives; their addresses are pre-authorized. */
  readonly drives: AllowedHosts;
  /** The Bot Connector, which wants the bot's token. */
  readonly services: AllowedHosts;
}

/** Number of files in a message. The rich text of a message, and cards, are attachments too. */
export function countFiles(attachments: readonly unknown[]): number {
  return attachments.filter((each) => {
    const { data } = Attachment.safeParse(each);
    return data && (data.contentType === DOWNLOAD_INFO || INLINE.test(data.contentType));
  }).length;
}

/** Returns the files and pasted images of a message. */
export function inboundFiles(attachments: readonly unknown[], hosts: FileHosts): InboundFile[] {
  return attachments.flatMap((each) => {
    const { data } = Attachment.safeParse(each);
    if (data?.contentType === DOWNLOAD_INFO) return sharedFile(data, hosts);
    return data && INLINE.test(data.contentType) ? [inlineFile(data, hosts)] : [];
  });
}

function sharedFile({ name, content }: z.output<typeof Attachment>, { drives }: FileHosts): InboundFile[] {
  const { data } = DownloadInfo.safeParse(content);
  if (!data) return [];
  const { downloadUrl, fileType = '' } = data;
  const mime = TYPES[fileType.toLowerCase()] ?? UNKNOWN_TYPE;
  const ref = drives.allows(downloadUrl) ? downloadUrl : null;
  return [{ name: name || 'file', mime, sizeBytes: null, ref }];
}

/** One that lies elsewhere is not downloaded. */
function inlineFile(
  { contentType, contentUrl, name }: z.output<typeof Attachment>,
  { services }: FileHosts,
): InboundFile {
  const ref = contentUrl !== undefined && services.allows(contentUrl) ? contentUrl : null;
  // Teams does not always tell the type of a pasted image.
  const mime = contentType === 'image/*' ? TYPES.png! : contentType;
  const [kind = 'file'] = contentType.split('/');
  return {
    name: name || (kind === 'image' ? 'image.png' : kind),
    mime,
    sizeBytes: null,
    ref,
    ...(kind === 'audio' && { isVoiceNote: true }),
  };
}
