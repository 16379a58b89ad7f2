import { JsonRefused, parseJson } from '../../base/json.ts';
import { type StreamErrorCode, StreamRequest } from '../schema/stream.ts';

/** A message has at most three. Others are ignored, but not as many as fill a megabyte. */
const MAX_VALUES = 100;

/** An invalid client message. It is reported in a `call_error`, and the call continues. */
export class StreamFault extends Error {
  readonly code: StreamErrorCode;

  constructor(code: StreamErrorCode, message: string) {
    super(message);
    this.name = 'StreamFault';
    this.code = code;
  }
}

/** Parses a text frame. Throws a StreamFault if it is invalid. */
export function parseStreamRequest(text: string): StreamRequest {
  const parsed = StreamRequest.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join('.') ?? '';
  if (path === 'type' || path === '') {
    throw new StreamFault(
      'unknown_type',
      'type must be audio, audio_config, clear, mark, pause, resume, say, send_chat or transcript_config',
    );
  }
  const code = path === 'sample_rate' ? 'invalid_sample_rate' : 'invalid_message';
  throw new StreamFault(code, `${path}: ${issue?.message}`);
}

/** Decodes base64 (RFC 4648, section 4, padding required). Throws a StreamFault if it is invalid. */
export function bytesFromBase64(base64: string): ArrayBuffer {
  const bytes = new ArrayBuffer(Buffer.byteLength(base64, 'base64'));
  const writtenBytes = Buffer.from(bytes).write(base64, 'base64');
  if (writtenBytes !== bytes.byteLength || base64.length % 4 !== 0 || hasForeignCharacters(base64))
    throw new StreamFault('invalid_base64', 'audio must be valid base64');
  return bytes;
}

/**
 * Whether there are characters that the decoder takes and RFC 4648, section 4, does not. All others it skips, so that
 * fewer bytes come out. A pattern would take twice as long as decoding.
 */
function hasForeignCharacters(base64: string): boolean {
  return Buffer.byteLength(base64) !== base64.length || base64.includes('-') || base64.includes('_');
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text, MAX_VALUES);
  } catch (error) {
    const isRefused = error instanceof JsonRefused;
    throw new StreamFault('invalid_json', isRefused ? error.message : 'text frames must be JSON');
  }
}
