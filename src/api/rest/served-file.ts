import { servedMime } from '../../files/mime-type.ts';
import type { OpenFile } from '../../files/open-file.ts';
import { errorReply } from '../http/answer/error-reply.ts';
import { type JsonReply, type ReplyHeaders, replyStream, type StreamReply } from '../http/answer/reply.ts';
import type { ErrorBody } from '../schema/error-body.ts';

/** Answers with a file, or with the requested range of it. `ifRange`: see RFC 9110, section 13.1.5. */
export function servedFile(
  file: OpenFile,
  range: string,
  ifRange: string,
): StreamReply<200> | StreamReply<206> | JsonReply<416, ErrorBody> {
  const headers = headersOf(file);
  const { sizeBytes } = file;
  const asked = ifRange === '' || ifRange === headers.ETag ? byteRangeOf(range, sizeBytes) : null;
  if (asked === 'unsatisfiable') {
    return errorReply('range_not_satisfiable', { 'Content-Range': `bytes */${sizeBytes}` });
  }
  const mime = servedMime(file.mime);
  if (asked === null) {
    return replyStream(200, mime, file.read(0, sizeBytes - 1), { lengthBytes: sizeBytes, headers });
  }
  const { first, last } = asked;
  return replyStream(206, mime, file.read(first, last), {
    lengthBytes: last - first + 1,
    headers: { ...headers, 'Content-Range': `bytes ${first}-${last}/${sizeBytes}` },
  });
}

/**
 * Headers of a file. Its bytes never change, so the ETag is its id. The Content-Security-Policy keeps its content from
 * running as part of the gateway's site.
 */
function headersOf({ id, name }: OpenFile): ReplyHeaders & { readonly ETag: string } {
  return {
    'Content-Disposition': attachmentDisposition(name),
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Cache-Control': 'private, max-age=0',
    'Accept-Ranges': 'bytes',
    ETag: `"${id}"`,
  };
}

/** A part of a file, inclusive at both ends. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Parses the single range of a `Range` header (RFC 9110, section 14). Null: no range, or one that may be ignored, such
 * as several ranges. `unsatisfiable`: the range lies outside the file.
 */
export function byteRangeOf(header: string, sizeBytes: number): ByteRange | 'unsatisfiable' | null {
  const [, from, to] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/.exec(header) ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return null;
  if (from === '') return lastBytes(Number(to), sizeBytes);
  const first = Number(from);
  const last = to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
  if (to !== '' && Number(to) < first) return null;
  return first < sizeBytes ? { first, last } : 'unsatisfiable';
}

function lastBytes(count: number, sizeBytes: number): ByteRange | 'unsatisfiable' {
  if (count === 0 || sizeBytes === 0) return 'unsatisfiable';
  return { first: Math.max(0, sizeBytes - count), last: sizeBytes - 1 };
}

/** Characters to replace in the plain ASCII name. */
const PLAIN = /[^\w !#$&+.^`|~()[\]{}@,=-]/g;
/** Characters that encodeURIComponent leaves but RFC 8187 requires to be encoded. */
const UNENCODED = /['()*]/g;

/**
 * The `Content-Disposition` header that makes browsers save a file and never display it: an ASCII name for old clients,
 * then the real name (RFC 6266, appendix D). Returns one line of ASCII.
 */
export function attachmentDisposition(name: string): string {
  const plain = name.replace(PLAIN, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    UNENCODED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
