import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attachmentDisposition, byteRangeOf } from '../../../src/api/rest/served-file.ts';
import { cleanFileName } from '../../../src/files/file-name.ts';
import { mimeOf, servedMime } from '../../../src/files/mime-type.ts';

const head = (latin1: string) => Buffer.from(latin1, 'latin1');
const nasty = fc.string({
  unit: fc.oneof(fc.constantFrom(...'"\\/;\r\n\0%\'().\u202e é€😀\ud800'), fc.string()),
});

describe('file names', () => {
  it.each([
    ['report.pdf', 'report.pdf'],
    ['  spaced name.txt ', 'spaced name.txt'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\a.doc', 'a.doc'],
    ['dir/', 'dir'],
    ['a\r\nSet-Cookie: x', 'aSet-Cookie: x'],
    ['exe\u202egpj.scr', 'exegpj.scr'],
    ['naïve €.txt', 'naïve €.txt'],
    ['', 'file'],
    ['..', 'file'],
    ['///', 'file'],
    [null, 'file'],
    [`${'x'.repeat(300)}.jpeg`, `${'x'.repeat(195)}.jpeg`],
  ])('are sanitized: %j', (name, clean) => expect(cleanFileName(name)).toBe(clean));

  it('stay unchanged once sanitized, and contain no path', () => {
    fc.assert(
      fc.property(nasty, (name) => {
        const clean = cleanFileName(name);
        expect(cleanFileName(clean)).toBe(clean);
        expect(clean).not.toMatch(/[/\\\r\n\0]/);
        expect([...clean].length).toBeGreaterThan(0);
        expect([...clean].length).toBeLessThanOrEqual(200);
      }),
      { numRuns: 5_000 },
    );
  });

  it('survive a header on one line, in ASCII', () => {
    fc.assert(
      fc.property(nasty, (name) => {
        const header = attachmentDisposition(name);
        const parts =
          /^attachment; filename="([\w !#$&+.^`|~()[\]{}@,=-]*)"; filename\*=UTF-8''([\w!#$&+.^`|~%-]*)$/.exec(
            header,
          );
        expect(parts, header).not.toBeNull();
        expect(decodeURIComponent(parts![2]!)).toBe(name.toWellFormed());
      }),
      { numRuns: 5_000 },
    );
    expect(attachmentDisposition('a "b" é.txt')).toBe(
      `attachment; filename="a _b_ _.txt"; filename*=UTF-8''a%20%22b%22%20%C3%A9.txt`,
    );
  });
});

describe('file types', () => {
  it.each([
    ['image/png', '\x89PNG\r\n\x1a\n', 'image/png'],
    ['text/html', '\x89PNG\r\n\x1a\n', 'image/png'],
    ['', '\xff\xd8\xff\xe0', 'image/jpeg'],
    ['image/jpg', '\xff\xd8\xff\xe0', 'image/jpg'],
    ['image/png', '<!DOCTYPE html>', 'text/html'],
    ['image/png', ' \n <script>', 'text/html'],
    ['image/png', '\xef\xbb\xbf<svg xmlns=', 'text/html'],
    ['text/plain', '<html> is where pages begin', 'text/plain'],
    ['image/svg+xml', '<svg xmlns=', 'image/svg+xml'],
    ['audio/ogg', 'OggS', 'audio/ogg'],
    ['video/mp4', '\0\0\0\x18ftypisom', 'video/mp4'],
    ['audio/mp4', '\0\0\0\x18ftypisom', 'audio/mp4'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'PK\x03\x04', undefined],
    ['text/plain', 'PK\x03\x04', 'application/zip'],
    ['Text/Plain; charset=UTF-8', 'hello', 'text/plain'],
    ['application/octet-stream', '%PDF-1.7', 'application/pdf'],
    ['nonsense', 'hello', 'application/octet-stream'],
    ['text/html\r\nx: y', 'hello', 'application/octet-stream'],
    ['', '', 'application/octet-stream'],
  ])('follow the content: %j %j', (declared, bytes, mime) => {
    expect(mimeOf(declared, head(bytes))).toBe(mime ?? declared);
  });

  it.each([
    ...['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/xml', 'application/xml', 'text/css'],
    ...[
      'application/javascript',
      'text/javascript',
      'application/x-shockwave-flash',
      'multipart/x-mixed-replace',
    ],
    ...[
      'application/vnd.mozilla.xul+xml',
      'application/java-archive',
      'message/rfc822',
      'audio/x+xml',
      'x/y',
    ],
  ])('are not served when a browser would execute them: %s', (mime) => {
    expect(servedMime(mime)).toBe('application/octet-stream');
  });

  it.each(['image/png', 'audio/ogg', 'video/mp4', 'application/pdf', 'application/vnd.ms-excel'])(
    'are otherwise served unchanged: %s',
    (mime) => expect(servedMime(mime)).toBe(mime),
  );

  it('include the charset of a text', () => {
    expect(servedMime('text/plain')).toBe('text/plain; charset=utf-8');
  });
});

describe('byte ranges', () => {
  it.each([
    ['', null],
    ['bytes=0-0', { first: 0, last: 0 }],
    ['bytes=5-', { first: 5, last: 9 }],
    ['bytes=5-100', { first: 5, last: 9 }],
    ['bytes=-3', { first: 7, last: 9 }],
    ['bytes=-100', { first: 0, last: 9 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=7-3', null],
    ['bytes=-', null],
    ['bytes=0-1,3-4', null],
    ['items=0-1', null],
    ['bytes=a-b', null],
    ['bytes=99999999999999999999-', null],
  ])('of 10 bytes: %s', (header, range) => expect(byteRangeOf(header, 10)).toEqual(range));

  it('of an empty file are not satisfiable', () => {
    expect([byteRangeOf('bytes=0-', 0), byteRangeOf('bytes=-1', 0)]).toEqual([
      'unsatisfiable',
      'unsatisfiable',
    ]);
  });
});
