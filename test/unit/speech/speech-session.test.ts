import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Capability, Platform } from '../../../src/base/platform.ts';
import type { RecognizedLine } from '../../../src/base/speech.ts';
import { CallActor, type Silencer } from '../../../src/calls/call-actor.ts';
import type { CallEvent } from '../../../src/calls/call-event.ts';
import { NO_PRESETS } from '../../../src/calls/choose-presets.ts';
import type { Bridges, OpenedTransport, TransportObserver } from '../../../src/media/transport.ts';
import { SpeechControl } from '../../../src/rings/speech-control.ts';
import { newLocalShares } from '../../../src/speech/session/local-shares.ts';
import { phoneSpeaker } from '../../../src/speech/session/speech-session.ts';
import { SpeechSessions } from '../../../src/speech/session/speech-sessions.ts';
import type { SpeechSettings } from '../../../src/speech/session/speech-settings.ts';
import type { UsedSpeech } from '../../../src/speech/session/speech-usage.ts';
import type {
  SpeechCommands,
  SpeechOpen,
  SpeechSignal,
} from '../../../src/speech/transport/speech-protocol.ts';
import type { CountedSpeech, SpeechSource } from '../../../src/telemetry/speech-metrics.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { lineOf } from '../../support/speech/recognized-line.ts';

const PRESET = { provider: 'test', preset: { url: '', key: '', options: {} } };
const BOTH: SpeechSettings = { stt: PRESET, tts: PRESET };

interface SceneOptions {
  readonly platform?: Platform;
  readonly sampleRateHz?: number;
  readonly settings?: SpeechSettings;
  readonly capabilities?: readonly Capability[];
}

/** A transport that records what it is told. */
class RecordedTransport implements OpenedTransport<SpeechCommands> {
  readonly commands: unknown[] = [];
  isClosed = false;

  async command(name: string, ...args: readonly unknown[]): Promise<never> {
    this.commands.push([name, ...args]);
    return undefined as never;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

/** A call whose speech is played by the test. */
class Scene {
  readonly opened: SpeechOpen[] = [];
  readonly transports: RecordedTransport[] = [];
  readonly tapped: number[] = [];
  readonly events: CallEvent[] = [];
  readonly told: string[] = [];
  readonly counted: (SpeechSource & CountedSpeech)[] = [];
  readonly used: UsedSpeech[] = [];
  readonly clock = new ManualClock();
  readonly local = newLocalShares(this.clock);
  readonly sessions: SpeechSessions;
  readonly call: CallActor;
  #observer!: TransportObserver<SpeechSignal>;

  constructor({ platform = 'sip', sampleRateHz = 8_000, settings = BOTH, capabilities }: SceneOptions = {}) {
    const bridges = {
      open: async (_protocol: unknown, open: SpeechOpen, observer: TransportObserver<SpeechSignal>) => {
        this.opened.push(open);
        this.#observer = observer;
        const transport = new RecordedTransport();
        this.transports.push(transport);
        return transport;
      },
    } as unknown as Bridges;
    this.sessions = new SpeechSessions({
      bridges,
      local: this.local,
      events: {
        speechFailed: (_call, { service }, { words }) => void this.told.push(`${service} failed: ${words}`),
        speechReconnected: (_call, { service }) => void this.told.push(`${service} again`),
        speechCounted: (source, counts) => void this.counted.push({ ...source, ...counts }),
        queueFull: (queue, items = 1) => void this.told.push(`full: ${queue} ${items}`),
      },
      clock: this.clock,
      recordUsage: async (_call, used) => void this.used.push(used),
      settingsOf: () => settings,
    });
    this.call = this.#newCall(platform, sampleRateHz, capabilities ?? ['audio_in', 'audio_out']);
  }

  /** The call becomes active, and its transport opens. */
  async answer(): Promise<void> {
    this.call.legObserver.answered();
    await turn();
  }

  signal(signal: SpeechSignal): void {
    this.#observer.signal(signal);
  }

  lose(): void {
    this.#observer.lost('the thread has died');
  }

  say(text: string): string {
    return this.sessions.say(this.call, text);
  }

  /** Events since the call became active. */
  get news(): CallEvent[] {
    return this.events.slice(2);
  }

  #newCall(platform: Platform, sampleRateHz: number, capabilities: readonly Capability[]): CallActor {
    const identity = {
      callId: 'call_1',
      roomId: 'room_1',
      participantId: 'part_1',
      accountId: 'acc_1',
      agentId: 'agt_1',
      platform,
      meetingUrl: 'sip:+33123456789@trunk.example',
      agentName: 'AI Agent',
      direction: 'outbound',
      caller: '',
      createdAt: '2030-01-01T00:00:00.000Z',
      sampleRateHz,
    } as const;
    const longMs = 3_600_000;
    const call = new CallActor(
      identity,
      { login: { kind: 'trunk' }, capabilities, presets: NO_PRESETS },
      {
        engineCall: {
          startAudio() {},
          close: async () => {},
          hostSpeech() {},
          tap: (voice: number) => void this.tapped.push(voice),
        } as never,
        clock: this.clock,
        deadlines: {
          connectingMs: longMs,
          waitingMs: longMs,
          ringingMs: longMs,
          acceptingMs: longMs,
          activeMs: longMs,
        },
        playout: {} as never,
        askTurn: null,
        chat: {
          keepFiles: async () => ({ files: [], tooLarge: 0 }),
          stored: async () => {},
          onDropped() {},
          onFailure() {},
        },
        publisher: {
          publish: (actor, event) => {
            this.events.push(event);
            this.sessions.happened(actor, event);
          },
        },
      },
    );
    call.announce();
    call.begin({ accept() {}, refuse() {}, hangUp() {}, released: Promise.resolve() });
    return call;
  }
}

describe('the speech of a call', () => {
  it('of a phone listens to the one voice of the other party', async () => {
    const scene = new Scene();
    await scene.answer();
    expect(scene.tapped).toEqual([0]);
    expect(scene.opened[0]?.voices).toMatchObject({
      speaker: '+33123456789',
      taps: [{ sampleRateHz: 8_000 }],
    });
  });

  it('of a meeting listens to all voices, and knows their names, also those of a new transport', async () => {
    const scene = new Scene({ platform: 'discord', sampleRateHz: 48_000 });
    await scene.answer();
    expect(scene.opened[0]?.voices?.speaker).toBe(null);
    expect(scene.opened[0]?.voices?.taps.map(({ sampleRateHz }) => sampleRateHz)).toEqual(
      Array(8).fill(16_000),
    );
    scene.call.legObserver.participants([{ id: 'p1', name: 'Ada' }]);
    scene.call.legObserver.speaking({ voiceId: 2, participantId: 'p1' }, true);
    scene.call.legObserver.speaking({ voiceId: 3, participantId: null }, true);
    expect(scene.transports[0]?.commands).toEqual([['name', 2, 'Ada']]);
    scene.lose();
    await turn();
    expect(scene.transports[1]?.commands).toEqual([['name', 2, 'Ada']]);
  });

  it('has its places at the local engines while its transport lives, and gives them back at its end', async () => {
    const scene = new Scene();
    await scene.answer();
    const taken = () => scene.local.recognition.taken;
    scene.signal({ type: 'place_wanted', placeId: 1, work: 'recognition' });
    await turn();
    expect([taken(), scene.transports[0]?.commands]).toEqual([1, [['givePlace', 1, true]]]);
    scene.lose();
    expect(taken()).toBe(0);
    await turn();
    scene.signal({ type: 'place_wanted', placeId: 1, work: 'recognition' });
    await turn();
    expect([taken(), scene.transports[1]?.commands]).toEqual([1, [['givePlace', 1, true]]]);
    scene.call.legObserver.ended('remote', { result: 'completed', reason: 'hung up' });
    await scene.sessions.settled();
    expect(taken()).toBe(0);
  });

  it('neither listens nor speaks where the call has no audio', async () => {
    const scene = new Scene({ platform: 'meet', capabilities: ['audio_in'] });
    await scene.answer();
    expect(scene.opened[0]?.tts).toBe(null);
    expect(() => scene.say('Hello')).toThrow('The platform does not support this');
    const mute = new Scene({ platform: 'telegram', capabilities: [] });
    await mute.answer();
    expect(mute.opened).toEqual([]);
    expect(mute.tapped).toEqual([]);
  });

  it('speaks and listens once the call gains its audio', async () => {
    const scene = new Scene({ capabilities: [] });
    await scene.answer();
    expect(() => scene.say('Hello')).toThrow('The platform does not support this');
    scene.call.legObserver.capabilities(['audio_in', 'audio_out']);
    scene.say('Hello');
    expect(scene.opened).toMatchObject([{ tts: PRESET, stt: PRESET }]);
    expect(scene.tapped).toEqual([0]);
    expect(scene.transports[0]?.commands).toMatchObject([['say', { text: 'Hello' }]]);
  });

  it('takes 20 texts a second, however soon they are over', async () => {
    const scene = new Scene();
    await scene.answer();
    const sayBlank = (): void => {
      const utteranceId = scene.say(' ');
      const report = { utteranceId, playedMs: 0, spokenText: ' ', isEstimate: false, audioMs: null };
      scene.signal({ type: 'utterance', ...report, state: 'finished' });
    };
    for (let i = 0; i < 32; i++) sayBlank();
    expect(sayBlank).toThrow('Too much speech is queued on this call');
    scene.clock.advance(1_000);
    for (let i = 0; i < 20; i++) sayBlank();
    expect(sayBlank).toThrow('Too much speech is queued on this call');
    expect(scene.told).toEqual(['full: speech 1', 'full: speech 1']);
  });

  it('publishes what is signalled', async () => {
    const scene = new Scene();
    await scene.answer();
    const utteranceId = scene.say('Hello.');
    const shown = { utteranceId, playedMs: 0, spokenText: '', isEstimate: false };
    const report = { ...shown, audioMs: null };
    scene.signal({ type: 'utterance', ...report, state: 'started' });
    scene.signal({ type: 'utterance', ...report, state: 'finished' });
    scene.signal({ type: 'utterance', ...report, state: 'finished' });
    scene.signal({ type: 'activity', speaker: 'Ada', state: 'started', isVendor: false });
    scene.signal({ type: 'transcript', ...lineOf('Ada', 'Hi.', { endMs: 900, confidence: 0.9 }) });
    scene.signal({ type: 'fault', service: 'stt', fault: { kind: 'out_of_funds', words: 'pay first' } });
    expect(scene.news).toEqual([
      { type: 'utterance', ...shown, state: 'started' },
      { type: 'utterance', ...shown, state: 'finished' },
      { type: 'speech', speaker: 'Ada', state: 'started' },
      { type: 'call_transcript', ...lineOf('Ada', 'Hi.', { endMs: 900, confidence: 0.9 }) },
      { type: 'end_of_turn', speaker: 'Ada', reason: 'sentence', confidence: 0.8 },
      { type: 'call_error', code: 'stt_failed', message: 'Speech recognition failed: pay first' },
    ]);
    scene.signal({ type: 'reconnected', service: 'stt' });
    scene.signal({ type: 'missed', missedMs: 40 });
    expect(scene.told).toEqual(['stt failed: pay first', 'stt again', 'full: heard_speech 1']);
  });

  it('stops by shared memory while something is to be said, and tells observers also before', async () => {
    const scene = new Scene();
    await scene.answer();
    const control = new SpeechControl(scene.opened[0]!.rings.control);
    const silencers: Silencer[] = [];
    scene.call.observe({ event: () => {}, silenced: (by) => void silencers.push(by) });
    scene.sessions.stopSpeaking(scene.call);
    expect([control.asked, silencers]).toEqual([0, ['client']]);
    const first = scene.say('One.');
    scene.sessions.stopSpeaking(scene.call);
    expect([control.asked, silencers]).toEqual([1, ['client', 'client']]);
    scene.signal({ type: 'silenced' });
    expect(silencers.at(-1)).toBe('person');
    const next = scene.say('Two.');
    expect(scene.transports[0]?.commands).toEqual([
      ['say', { utteranceId: first, text: 'One.', generation: 0 }],
      ['say', { utteranceId: next, text: 'Two.', generation: 1 }],
    ]);
  });

  it('tells nobody of a stop on a call that only listens', async () => {
    const scene = new Scene({ settings: { ...BOTH, tts: null } });
    await scene.answer();
    const silencers: Silencer[] = [];
    scene.call.observe({ event: () => {}, silenced: (by) => void silencers.push(by) });
    scene.sessions.stopSpeaking(scene.call);
    expect(silencers).toEqual([]);
  });

  it('does not fail what was stopped when its transport is lost before it answers', async () => {
    const scene = new Scene();
    await scene.answer();
    const stopped = scene.say('One.');
    scene.sessions.stopSpeaking(scene.call);
    const next = scene.say('Two.');
    scene.lose();
    expect(scene.news.slice(0, 2)).toMatchObject([
      { type: 'utterance', utteranceId: stopped, state: 'interrupted' },
      { type: 'utterance', utteranceId: next, state: 'failed' },
    ]);
  });

  it('fails what was said when its transport is lost, without the reason that the log has', async () => {
    const scene = new Scene();
    await scene.answer();
    const utteranceId = scene.say('Hello.');
    scene.lose();
    expect(scene.news).toMatchObject([
      { type: 'utterance', utteranceId, state: 'failed' },
      {
        type: 'call_error',
        code: 'stt_failed',
        message: 'Speech recognition failed: internal error; it is started again',
      },
      {
        type: 'call_error',
        code: 'tts_failed',
        message: 'Text-to-speech failed: internal error; it is started again',
      },
    ]);
    expect(scene.told).toEqual(['stt failed: the thread has died', 'tts failed: the thread has died']);
    expect(new SpeechControl(scene.opened[0]!.rings.control).asked).toBe(1);
  });

  it('asks for interim results only while somebody wants them, also of a new transport', async () => {
    const scene = new Scene();
    await scene.answer();
    const { interims } = scene.call;
    const heard: RecognizedLine[] = [];
    const line = lineOf('Ada', 'Hi the', { startMs: 20, language: 'en' });
    const stop = interims.add((interim) => heard.push(interim));
    const stopOther = interims.add(() => {});
    scene.signal({ type: 'interim', ...line });
    scene.lose();
    await turn();
    stop();
    stop();
    scene.signal({ type: 'interim', ...line });
    stopOther();
    expect(heard).toEqual([line]);
    expect(scene.transports.map(({ commands }) => commands)).toEqual([
      [['wantInterims', true]],
      [
        ['wantInterims', true],
        ['wantInterims', false],
      ],
    ]);
    expect(scene.events.every(({ type }) => type !== 'call_transcript')).toBe(true);
    expect(scene.call.transcript.since(0).length).toBe(0);
  });

  it('counts what its providers did, and adds it to the usage once a minute and at the end', async () => {
    const scene = new Scene();
    await scene.answer();
    const counts = {
      characters: 5,
      spokenMs: 400,
      heardMs: 1_000,
      firstByteMs: [80],
      finalMs: [300],
      droppedInterims: 0,
      unsuppressed: 0,
    };
    scene.signal({ type: 'counts', ...counts });
    scene.signal({ type: 'counts', ...counts, droppedInterims: 3, unsuppressed: 1 });
    expect(scene.counted).toHaveLength(4);
    expect(scene.counted.slice(0, 2)).toMatchObject([
      { service: 'stt', provider: 'test', ...counts },
      { service: 'tts', provider: 'test', ...counts },
    ]);
    expect([scene.told, scene.used]).toEqual([['full: interim_results 3', 'full: noise_suppression 1'], []]);
    scene.clock.advance(60_000);
    scene.signal({ type: 'counts', ...counts });
    expect(scene.used).toEqual([{ characters: 15, spokenMs: 1_200, heardMs: 3_000 }]);
    scene.call.legObserver.ended('remote', { result: 'completed', reason: 'hung up' });
    scene.signal({ type: 'counts', ...counts });
    await scene.sessions.settled();
    expect(scene.used.slice(1)).toEqual([{ characters: 5, spokenMs: 400, heardMs: 1_000 }]);
  });

  it('ends with the call: the vendors first, and only words follow the last event', async () => {
    const scene = new Scene();
    await scene.answer();
    scene.say('Hello.');
    scene.call.legObserver.ended('remote', { result: 'completed', reason: 'hung up' });
    scene.signal({ type: 'transcript', ...lineOf('+331', 'Bye.') });
    scene.signal({ type: 'activity', speaker: '+331', state: 'ended', isVendor: false });
    scene.signal({ type: 'fault', service: 'tts', fault: { kind: 'unreachable', words: 'gone' } });
    await scene.sessions.settled();
    expect(scene.transports[0]).toMatchObject({ isClosed: true });
    expect(scene.transports[0]?.commands.at(-1)).toEqual(['finish']);
    expect(scene.news).toMatchObject([
      { type: 'call_state', state: 'ended' },
      { type: 'call_transcript', text: 'Bye.' },
    ]);
    expect(scene.call.transcript.since(0).lines).toEqual([{ speaker: '+331', text: 'Bye.' }]);
  });
});

it('names the caller by number, and who is called by the number that was dialled', () => {
  const speaker = (direction: 'inbound' | 'outbound', caller: string, meetingUrl: string) =>
    phoneSpeaker({ direction, caller, meetingUrl } as Parameters<typeof phoneSpeaker>[0]);
  expect(speaker('inbound', '+331', 'sip:+332@gw')).toBe('+331');
  expect(speaker('inbound', '', 'sip:+332@gw')).toBe('unknown caller');
  expect(speaker('outbound', '', 'SIPS:+333;ext=5@trunk.example;user=phone')).toBe('+333');
  expect(speaker('outbound', '', 'sip:trunk.example')).toBe('sip:trunk.example');
});
