import { bytesWithin } from '../base/bytes-within.ts';
import type { Platform } from '../base/platform.ts';
import { dayOf } from '../base/time.ts';
import type { Messenger } from '../connectors/contract/messenger.ts';
import { type VoiceNote, VoiceNotes } from '../messaging/intake/voice-notes.ts';
import type { LocalShares } from '../speech/session/local-shares.ts';
import { NoteReader } from '../speech/session/note-reader.ts';
import { speechSettings } from '../speech/session/speech-settings.ts';
import type { MessagePlatform } from '../store/messages/message-tables.ts';
import { countUsage } from '../store/people/usage.ts';
import { findEnabledVoiceConfigs, type StoredVoiceConfig } from '../store/speech/voice-configs.ts';
import type { PartDeps } from './gateway-deps.ts';

/** Several minutes of any voice. */
const MOST_BYTES = 4 * 1_024 * 1_024;
const FETCH_MS = 20_000;

/** Returns what makes the readers of voice notes, by platform: with the speech-to-text that accounts have for their calls. */
export function voiceNotes(
  deps: PartDeps,
  messengers: ReadonlyMap<MessagePlatform, Messenger>,
  local: LocalShares,
): (platform: Platform) => VoiceNotes {
  const { store, clock, bridges, settings, metrics, events, loggers, closers } = deps;
  const reader = new NoteReader({ bridges, local, clock });
  metrics.watchShare('voice_notes', reader.share);
  const keys = { secrets: store.secrets, urls: settings.speechUrls };

  const presetOf = async (accountId: string): Promise<StoredVoiceConfig | null> =>
    (await findEnabledVoiceConfigs(store.db, accountId)).find(({ kind }) => kind === 'stt') ?? null;

  const wordsOf = async ({ accountId, platform, from, ref }: VoiceNote, closing: AbortSignal) => {
    const { stt } = speechSettings({ stt: await presetOf(accountId), tts: null }, keys);
    const files = messengers.get(platform)?.files;
    if (stt === null || files === undefined) throw new Error('there is no speech-to-text any more');
    const signal = AbortSignal.any([closing, AbortSignal.timeout(FETCH_MS)]);
    const audio = await bytesWithin(await files.fetchFile(from.login, ref, signal), MOST_BYTES);
    const { text, heardMs } = await reader.read(accountId, { audio, stt }, closing);
    const day = dayOf(clock.nowIso());
    await countUsage(store.db, { accountId, platform, day, heardMs: Math.round(heardMs) });
    return text;
  };

  const read = async (note: VoiceNote, closing: AbortSignal): Promise<string | null> => {
    const { platform, accountId } = note;
    try {
      const words = await wordsOf(note, closing);
      metrics.messengerEvent(platform, 'voice_note_read');
      return words;
    } catch (error) {
      if (closing.aborted) return null;
      metrics.messengerEvent(platform, 'voice_note_unread');
      loggers.main.warn(
        { err: error, platform, accountId },
        'a voice note was not read: it comes as a file alone',
      );
      return null;
    }
  };

  return (platform) => {
    const notes = new VoiceNotes({
      platform,
      store,
      clock,
      listens: async (accountId) => (await presetOf(accountId)) !== null,
      read,
      onFailure: (error) => events.writeFailed('messages behind a voice note', error),
    });
    closers.push(() => notes.close());
    return notes;
  };
}
