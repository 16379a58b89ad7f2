import { JsonTooDeep, parseJson } from '../../base/json.ts';
import { type StreamErrorCode, StreamRequest } from '../schema/stream.ts';

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
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) {
    throw new StreamFault('invalid_base64', 'audio must be valid base64');
  }
  const bytes = new ArrayBuffer(Buffer.byteLength(base64, 'base64'));
  Buffer.from(bytes).write(base64, 'base64');
  return bytes;
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    const message = error instanceof JsonTooDeep ? error.message : 'text frames must be JSON';
    throw new StreamFault('invalid_json', message);
  }
}
