const UNKNOWN = 'application/octet-stream';
const TYPE = /^([a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126})[ \t]*(;|$)/;

/** A type detected by a file's first bytes, and the declared types that are compatible with it. */
interface Signature {
  readonly mime: string;
  /** Offsets and bytes, in latin1. All of them must match. */
  readonly marks: readonly (readonly [number, string])[];
  readonly alike?: RegExp;
}

const SIGNATURES: readonly Signature[] = [
  { mime: 'image/png', marks: [[0, '\x89PNG\r\n\x1a\n']], alike: /^image\/(png|apng)$/ },
  { mime: 'image/jpeg', marks: [[0, '\xff\xd8\xff']], alike: /^image\/(jpe?g|pjpeg)$/ },
  { mime: 'image/gif', marks: [[0, 'GIF8']] },
  {
    mime: 'image/webp',
    marks: [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
  },
  {
    mime: 'audio/wav',
    marks: [
      [0, 'RIFF'],
      [8, 'WAVE'],
    ],
    alike: /^audio\//,
  },
  {
    mime: 'image/bmp',
    marks: [
      [0, 'BM'],
      [6, '\0\0\0\0'],
    ],
  },
  { mime: 'image/tiff', marks: [[0, 'II*\0']] },
  { mime: 'image/avif', marks: [[4, 'ftypavif']] },
  { mime: 'image/heic', marks: [[4, 'ftyphei']], alike: /^image\/hei[cf]/ },
  { mime: 'audio/mp4', marks: [[4, 'ftypM4A']], alike: /^(audio|video)\// },
  { mime: 'video/quicktime', marks: [[4, 'ftypqt']], alike: /^video\// },
  { mime: 'video/mp4', marks: [[4, 'ftyp']], alike: /^(audio|video|image)\// },
  { mime: 'video/webm', marks: [[0, '\x1aE\xdf\xa3']], alike: /^(audio|video)\// },
  { mime: 'audio/ogg', marks: [[0, 'OggS']], alike: /^((audio|video)\/|application\/ogg$)/ },
  { mime: 'audio/flac', marks: [[0, 'fLaC']], alike: /^audio\// },
  { mime: 'audio/mpeg', marks: [[0, 'ID3']], alike: /^audio\// },
  { mime: 'audio/mpeg', marks: [[0, '\xff\xfb']], alike: /^audio\// },
  { mime: 'audio/amr', marks: [[0, '#!AMR']], alike: /^audio\// },
  { mime: 'application/pdf', marks: [[0, '%PDF-']] },
  { mime: 'application/zip', marks: [[0, 'PK\x03\x04']], alike: /^application\// },
  { mime: 'application/gzip', marks: [[0, '\x1f\x8b']], alike: /^application\// },
];

/** Content that a browser would run, or that may contain scripts. */
const MARKUP =
  /^(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|head|body|script|iframe|svg|\?xml|!--|style|title|a |img |b>|p>|h1)/i;
const MARKUP_ALIKE = /^(text\/|application\/(.+\+)?xml$|image\/svg)/;

/** Number of leading bytes that are examined. */
export const SNIFFED_BYTES = 512;

/**
 * Returns a file's type: the declared one, unless the file's first bytes show another type. Without a declared type,
 * returns the detected one.
 */
export function mimeOf(declared: string | null | undefined, head: Uint8Array): string {
  const type = bareType(declared);
  const told = signatureOf(Buffer.from(head).toString('latin1', 0, SNIFFED_BYTES));
  if (told === null) return type ?? UNKNOWN;
  return type !== null && (type === told.mime || told.alike?.test(type)) ? type : told.mime;
}

/** Returns the type without parameters, in lower case. Null: no specific type is declared. */
function bareType(declared: string | null | undefined): string | null {
  const type = TYPE.exec((declared ?? '').trim().toLowerCase())?.[1] ?? UNKNOWN;
  return type === UNKNOWN || type === 'binary/octet-stream' ? null : type;
}

function signatureOf(head: string): Pick<Signature, 'mime' | 'alike'> | null {
  const found = SIGNATURES.find(({ marks }) => marks.every(([at, bytes]) => head.startsWith(bytes, at)));
  if (found !== undefined) return found;
  return MARKUP.test(head) ? { mime: 'text/html', alike: MARKUP_ALIKE } : null;
}

const IMAGE = 'image/(?:png|apng|jpe?g|gif|webp|bmp|tiff|avif|hei[cf])';
const DOCUMENT =
  'application/(?:pdf|zip|gzip|json|ogg|msword|rtf|vnd\\.ms-[a-z.-]+|vnd\\.openxmlformats-officedocument\\.[a-z.]+|vnd\\.oasis\\.opendocument\\.[a-z]+)';
const HARMLESS = new RegExp(
  `^(?:audio/[^+]+|video/[^+]+|${IMAGE}|${DOCUMENT}|text/(?:plain|csv|markdown|vtt|calendar))$`,
);

/**
 * Returns the type to serve a file with: its own if a browser runs nothing in it, otherwise `application/octet-stream`.
 */
export function servedMime(mime: string): string {
  if (!HARMLESS.test(mime)) return UNKNOWN;
  return mime.startsWith('text/') ? `${mime}; charset=utf-8` : mime;
}
