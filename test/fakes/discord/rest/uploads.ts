import type { StoredFile } from '../cdn.ts';
import type { FakeBot } from '../fake-bot.ts';
import type { FakeChannel } from '../world/channel.ts';
import type { World } from '../world/world.ts';
import { invalidField, REFUSALS } from './discord-error.ts';
import type { NewMessage } from './message-schema.ts';
import type { UploadedFile } from './route.ts';

const MIB = 1_048_576;
const DM_LIMIT_BYTES = 10 * MIB;
const MAX_FILES = 10;

/** What a message is sent with. */
export interface Upload {
  readonly world: World;
  readonly bot: FakeBot;
  readonly channel: FakeChannel;
  readonly files: ReadonlyMap<number, UploadedFile>;
  readonly described: NewMessage['attachments'];
}

/** Stores the files of a request; throws when they are too large, too many, or not those that the body describes. */
export function storeUploads({ world, channel, files, described }: Upload): StoredFile[] {
  if (files.size > MAX_FILES) {
    const message = `Must be ${MAX_FILES} or fewer in length.`;
    throw invalidField(['attachments'], { code: 'BASE_TYPE_MAX_LENGTH', message });
  }
  const limitBytes = world.guildOf(channel)?.uploadLimitBytes ?? DM_LIMIT_BYTES;
  for (const { bytes } of files.values()) if (bytes.length > limitBytes) throw REFUSALS.tooLarge();
  checkDescriptions(files, described);
  return [...files].map(([index, file]) => {
    const about = described?.find(({ id }) => Number(id) === index);
    const { duration_secs: durationS, waveform, description } = about ?? {};
    return world.cdn.keep({
      id: world.newId(),
      channelId: channel.id,
      name: storedName(about?.filename ?? file.name),
      mime: file.mime,
      bytes: file.bytes,
      ...(typeof description === 'string' ? { description } : {}),
      ...(durationS === undefined || waveform === undefined ? {} : { voice: { durationS, waveform } }),
    });
  });
}

/** Of names, CDN addresses keep only these. */
export function storedName(name: string): string {
  return name.replaceAll(' ', '_').replaceAll(/[^\p{L}\p{N}._-]/gu, '') || 'unknown';
}

function checkDescriptions(files: Upload['files'], described: Upload['described']): void {
  const wrong = described?.findIndex(({ id }) => !files.has(Number(id))) ?? -1;
  if (wrong < 0) return;
  const message = `Uploaded attachment not found: ${described?.[wrong]?.id}`;
  throw invalidField(['attachments', wrong], { code: 'ATTACHMENT_NOT_FOUND', message });
}
