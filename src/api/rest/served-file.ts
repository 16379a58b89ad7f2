import { servedMime } from '../../files/mime-type.ts';
import type { OpenFile } from '../../files/open-file.ts';
import {
  type JsonReply,
  type ReplyHeaders,
  reply,
  replyStream,
  type StreamReply,
} from '../http/answer/reply.ts';
import type { ErrorBody } from '../schema/error-body.ts';
import { byteRangeOf } from './byte-range.ts';
import { attachmentDisposition } from './content-disposition.ts';

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
    return reply(416, { detail: 'Range not satisfiable' }, { 'Content-Range': `bytes */${sizeBytes}` });
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
