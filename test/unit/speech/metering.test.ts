import { expect, it } from 'vitest';
import type { AudioFormat } from '../../../src/speech/audio-format.ts';
import { meteredRecognizer, meteredSynthesizer } from '../../../src/speech/metering/metered.ts';
import { CountsReport, SpeechMeter } from '../../../src/speech/metering/speech-meter.ts';
import type { SpeechSignal } from '../../../src/speech/transport/speech-protocol.ts';
import type { SynthesizerObserver } from '../../../src/speech/tts/synthesizer.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { ScriptedRecognizer } from '../../support/speech/scripted-recognizer.ts';

const FORMAT: AudioFormat = { encoding: 's16le', sampleRateHz: 8_000 };
const UNKNOWN = { startMs: null, endMs: null, confidence: null, language: null, speaker: null };
const NOTHING = {
  characters: 0,
  spokenMs: 0,
  heardMs: 0,
  firstByteMs: [],
  finalMs: [],
  droppedInterims: 0,
  unsuppressed: 0,
};

it('meters text and audio of a synthesizer, and the first audio of each utterance', () => {
  const [clock, meter] = [new ManualClock(), new SpeechMeter()];
  const heard: string[] = [];
  const observer: SynthesizerObserver = {
    audio: (id, data) => heard.push(`${id} ${data.length}`),
    aligned: (id) => heard.push(`${id} aligned`),
    ended: (id) => heard.push(`${id} ended`),
    failed: (id) => heard.push(`${id} failed`),
    disconnected: () => heard.push('disconnected'),
    reconnected: () => heard.push('reconnected'),
  };
  let vendor!: SynthesizerObserver;
  const said: string[] = [];
  const synthesizer = meteredSynthesizer(
    (metered) => {
      vendor = metered;
      return {
        format: FORMAT,
        speak: ({ text }) => said.push(text),
        cancel: (id) => said.push(`cancel ${id}`),
        close: async () => void said.push('close'),
      };
    },
    observer,
    { meter, clock },
  );
  synthesizer.speak({ utteranceId: 'u1', text: 'One.', isLast: false });
  clock.advance(80);
  synthesizer.speak({ utteranceId: 'u1', text: 'Two.', isLast: true });
  vendor.audio('u1', new Uint8Array(320));
  clock.advance(500);
  vendor.audio('u1', new Uint8Array(1_600));
  vendor.aligned('u1', []);
  vendor.ended('u1');
  synthesizer.speak({ utteranceId: 'u2', text: 'Gone', isLast: true });
  synthesizer.cancel('u2');
  vendor.audio('u2', new Uint8Array(16));
  synthesizer.speak({ utteranceId: 'u3', text: '', isLast: true });
  vendor.failed(null, { kind: 'unreachable', words: '' });
  void synthesizer.close();
  expect(meter.counts).toEqual({ ...NOTHING, characters: 12, spokenMs: 121, firstByteMs: [80] });
  expect(said).toEqual(['One.', 'Two.', 'Gone', 'cancel u2', '', 'close']);
  expect(heard).toEqual(['u1 320', 'u1 1600', 'u1 aligned', 'u1 ended', 'u2 16', 'null failed']);
});

it('meters the audio of a recognizer, and the age of its results', () => {
  const [clock, meter] = [new ManualClock(), new SpeechMeter()];
  let vendor!: ScriptedRecognizer;
  const texts: string[] = [];
  const recognizer = meteredRecognizer(
    (metered) => {
      vendor = new ScriptedRecognizer(metered, { format: FORMAT, chunkMs: 100 });
      return vendor;
    },
    {
      interim: ({ text }) => texts.push(`${text}…`),
      final: ({ text }) => texts.push(text),
      turn: () => {},
      failed: () => {},
      disconnected: () => {},
      reconnected: () => {},
    },
    { meter, clock },
  );
  for (let i = 0; i < 10; i++) recognizer.hear(new Uint8Array(1_600));
  vendor.vendor.interim({ ...UNKNOWN, text: 'On' });
  vendor.vendor.final({ ...UNKNOWN, text: 'One', endMs: 700 });
  vendor.vendor.final({ ...UNKNOWN, text: 'Two' });
  recognizer.flush();
  clock.advance(250);
  vendor.vendor.final({ ...UNKNOWN, text: 'Three' });
  expect(meter.counts).toEqual({ ...NOTHING, heardMs: 1_000, finalMs: [300, 250] });
  expect(texts).toEqual(['On…', 'One', 'Two', 'Three']);
  expect([vendor.chunks.length, vendor.flushes, recognizer.chunkMs]).toEqual([10, 1, 100]);
});

it('reports at most once a second, keeps what is not taken, and gives the rest at the end', () => {
  const clock = new ManualClock();
  const sent: SpeechSignal[] = [];
  let isBehind = true;
  const report = new CountsReport(clock, {
    offer: (signal) => !isBehind && sent.push(signal) > 0,
    send: (signal) => void sent.push(signal),
  });
  for (let look = 0; look < 30; look++) {
    report.meter.asked(1);
    clock.advance(100);
    report.look();
  }
  expect(sent).toEqual([]);
  isBehind = false;
  for (let look = 0; look < 20; look++) {
    clock.advance(100);
    report.look();
  }
  expect(sent).toEqual([{ type: 'counts', ...NOTHING, characters: 30 }]);
  for (let i = 0; i < 100; i++) report.meter.firstByte(i);
  report.meter.interimDropped();
  report.end();
  report.end();
  expect(sent).toHaveLength(2);
  expect(sent[1]).toMatchObject({ characters: 0, droppedInterims: 1 });
  expect(sent[1]).toHaveProperty('firstByteMs.length', 64);
});
