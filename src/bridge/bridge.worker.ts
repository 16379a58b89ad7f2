import { workerData } from 'node:worker_threads';
import { systemClock } from '../base/time.ts';
import {
  VOICE_TRANSPORT,
  type VoiceOpen,
  type VoiceSignal,
} from '../connectors/discord/voice/voice-protocol.ts';
import {
  TALK_TRANSPORT,
  type TalkCommands,
  type TalkOpen,
  type TalkSignal,
} from '../connectors/nctalk/voice/talk-protocol.ts';
import { type OpenTransport, transportFactory } from '../media/transport.ts';
import { NOTE_TRANSPORT } from '../speech/notes/note-protocol.ts';
import { notesWith } from '../speech/notes/note-transport.ts';
import { speechParts } from '../speech/transport/speech-parts.ts';
import { SPEECH_TRANSPORT } from '../speech/transport/speech-protocol.ts';
import { speechWith } from '../speech/transport/speech-transport.ts';
import { leaveOutNeuralVoice } from '../speech/vad/neural-voice.ts';
import type { BridgeStart, TransportOutcome, TransportPlacement } from '../threads/bridge-protocol.ts';
import { BridgeWorker } from './bridge-worker.ts';

/** Discord's library takes 20 MB, so a thread loads it with its first call there. */
const openDiscordVoice: OpenTransport<VoiceOpen, Record<never, never>, VoiceSignal> = async (...opening) => {
  const { openVoiceTransport } = await import('../connectors/discord/voice/voice-transport.ts');
  return await openVoiceTransport(...opening);
};

/** The same goes for WebRTC. */
const openTalk: OpenTransport<TalkOpen, TalkCommands, TalkSignal> = async (...opening) => {
  const { openTalkTransport } = await import('../connectors/nctalk/voice/talk-transport.ts');
  return await openTalkTransport(...opening);
};

if (!(workerData as BridgeStart).neuralVoice) leaveOutNeuralVoice();

/** Composition root of a bridge thread: the transports it can open, those of platforms and the speech of calls. */
const speech = speechParts(systemClock);
const worker = new BridgeWorker([
  transportFactory(SPEECH_TRANSPORT, speechWith(speech)),
  transportFactory(NOTE_TRANSPORT, notesWith(speech)),
  transportFactory(VOICE_TRANSPORT, openDiscordVoice),
  transportFactory(TALK_TRANSPORT, openTalk),
]);

/** Task of the pool. */
export function holdTransport(placement: TransportPlacement): Promise<TransportOutcome> {
  return worker.hold(placement);
}
