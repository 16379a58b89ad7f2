import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pcmFromBytes } from '../../../../src/api/stream/audio-coding.ts';
import {
  bytesFromBase64,
  parseStreamRequest,
  StreamFault,
} from '../../../../src/api/stream/stream-request.ts';

function faultOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof StreamFault) return error.code;
    throw error;
  }
  return 'none';
}

describe('stream requests', () => {
  it.each([
    ['not json', 'invalid_json'],
    ['[]', 'unknown_type'],
    ['null', 'unknown_type'],
    ['{}', 'unknown_type'],
    ['{"type":"dance"}', 'unknown_type'],
    ['{"type":"audio_config","sample_rate":7999}', 'invalid_sample_rate'],
    ['{"type":"audio_config","sample_rate":48001}', 'invalid_sample_rate'],
    ['{"type":"audio_config","sample_rate":16000.5}', 'invalid_sample_rate'],
    ['{"type":"audio","audio":1}', 'invalid_message'],
    ['{"type":"audio_config","receive":"yes"}', 'invalid_message'],
    ['{"type":"mark"}', 'invalid_message'],
    ['{"type":"mark","name":""}', 'invalid_message'],
    ['{"type":"clear"}', 'none'],
    ['{"type":"transcript_config"}', 'none'],
    ['{"type":"transcript_config","interim":true}', 'none'],
    ['{"type":"transcript_config","interim":"yes"}', 'invalid_message'],
    ['{"type":"transcript_config","interim":null}', 'invalid_message'],
    ['{"type":"say"}', 'invalid_message'],
    ['{"type":"say","text":""}', 'invalid_message'],
  ])('%s → %s', (text, code) => {
    expect(faultOf(() => parseStreamRequest(text))).toBe(code);
  });

  it('fail only with a StreamFault', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.jsonValue().map((value) => JSON.stringify(value)),
        ),
        (text) => {
          faultOf(() => parseStreamRequest(text));
        },
      ),
    );
  });

  it('accept PCM as base64 and as bytes alike', () => {
    fc.assert(
      fc.property(fc.int16Array({ maxLength: 400 }), (samples) => {
        const bytes = samples.slice().buffer;
        expect(pcmFromBytes(bytes)).toEqual(samples);
        expect(pcmFromBytes(bytesFromBase64(Buffer.from(bytes).toString('base64')))).toEqual(samples);
      }),
    );
  });

  it('read PCM as little-endian', () => {
    expect([...pcmFromBytes(new Uint8Array([1, 2, 3, 4]).buffer)]).toEqual([0x0201, 0x0403]);
  });

  it.each(['a', 'abc', 'ab=c', '!!!!', 'YQ==YQ==', 'YWI-', 'YWI '])('refuse %s as base64', (text) => {
    expect(faultOf(() => bytesFromBase64(text))).toBe('invalid_base64');
  });

  it('refuse an odd number of bytes as 16-bit PCM', () => {
    expect(faultOf(() => pcmFromBytes(new ArrayBuffer(3)))).toBe('invalid_audio');
  });
});
