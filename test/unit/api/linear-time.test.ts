import { describe, it, vi } from 'vitest';
import { ClientAddresses, plainAddress } from '../../../src/api/auth/client-addresses.ts';
import { sessionTokenOf } from '../../../src/api/auth/cookies.ts';
import { formParts } from '../../../src/api/http/request/form-parts.ts';
import { requestIdFrom } from '../../../src/api/http/request/request-head.ts';
import { attachmentDisposition, byteRangeOf } from '../../../src/api/rest/served-file.ts';
import { LoginRequest, SignupRequest } from '../../../src/api/schema/auth.ts';
import { AuthorizeQuery } from '../../../src/api/schema/authorization.ts';
import { Name } from '../../../src/api/schema/fields.ts';
import { describedClient } from '../../../src/authorization/register-client.ts';
import { platformsNamed } from '../../../src/authorization/scope-names.ts';
import { codesIn } from '../../../src/connectors/kit/newcomers.ts';
import { formatted } from '../../../src/connectors/telegram/formatting.ts';
import { withoutToken } from '../../../src/connectors/whatsapp/invitation.ts';
import { readPayload } from '../../../src/connectors/whatsapp/webhook-payload.ts';
import { isSigned } from '../../../src/connectors/whatsapp/webhook-receiver.ts';
import { cleanFileName } from '../../../src/files/file-name.ts';
import { mimeOf, servedMime } from '../../../src/files/mime-type.ts';
import { readCompound } from '../../../src/rtp/rtcp/rtcp-packet.ts';
import { RtpPacket } from '../../../src/rtp/rtp-packet.ts';
import { parseCursor } from '../../../src/store/messages/cursor.ts';
import { expectLinear, expectLinearLater, shapesAfter } from '../../support/linear-time.ts';

vi.setConfig({ testTimeout: 120_000 });

const LENGTH = 64_000;
/** Longer texts are not searched for Markdown. */
const LONGEST_MARKED = 8_000;
/** A parser builds a tree of it. */
const MOST_MARKED_MS = 8;
const behindProxy = new ClientAddresses(['127.0.0.1']);

describe('HTTP input takes linear time to parse', () => {
  it.each<[string, (text: string) => unknown, readonly string[]]>([
    ['cookies', sessionTokenOf, ['', 'svc_session', 'a=b;']],
    ['a range', (text) => byteRangeOf(text, 1_000), ['', 'bytes=', 'bytes=1-']],
    ['a request id', requestIdFrom, ['']],
    ['forwarded addresses', (text) => behindProxy.of('127.0.0.1', text), ['', '127.0.0.1,']],
    ['an address', plainAddress, ['', '::', '1:']],
    ['a file name', (text) => attachmentDisposition(cleanFileName(text)), ['', 'a.']],
    ['a content type', (text) => servedMime(mimeOf(text, Buffer.from(text))), ['', 'text/', 'application/']],
    ['a cursor', parseCursor, ['', '2030-01-01T00:00:00.', '2030-01-01|', '2030-01-01|msg_1.']],
    ['a mail address', (text) => LoginRequest.safeParse({ email: text, password: 'x' }), ['', 'a@', 'a@b.']],
    [
      'a sign-up',
      (text) => SignupRequest.safeParse({ email: 'a@b.example', password: text, name: text }),
      [''],
    ],
    ['a name', (text) => Name.safeParse(text), ['']],
    ['a request for authorization', (text) => AuthorizeQuery.safeParse({ scope: text, state: text }), ['']],
    ['scopes', platformsNamed, ['', 'sip ']],
  ])('%s', (_what, read, openings) => {
    for (const shape of shapesAfter(...openings)) expectLinear(shape, LENGTH, read);
  });

  it('the metadata of a client that registers', () => {
    const read = (text: string) => {
      try {
        describedClient({ client_name: text, redirect_uris: [`https://a.example/${text}`] });
      } catch {
        // Refusing is a valid result.
      }
    };
    // RFC 7591 bodies end at 16 KB.
    for (const shape of shapesAfter('')) expectLinear(shape, 16_000, read);
  });

  it('a form, its boundary and the headers of its parts', async () => {
    const drain = async (contentType: string, text: string): Promise<void> => {
      const pieces = async function* () {
        const bytes = Buffer.from(text, 'latin1');
        for (let at = 0; at < bytes.length; at += 4_096) yield bytes.subarray(at, at + 4_096);
      };
      try {
        for await (const part of formParts(Object.assign(pieces(), { contentType }))) {
          for await (const _bytes of part.bytes);
        }
      } catch {
        // Most of them are not valid forms.
      }
    };
    const boundary = 'a'.repeat(70);
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="`;
    for (const shape of shapesAfter(
      '',
      `--${boundary}\r\n`,
      head,
      `${head}x"\r\n\r\n`,
      `--${boundary.slice(1)}`,
    )) {
      await expectLinearLater(shape, LENGTH, (text) =>
        drain(`multipart/form-data; boundary=${boundary}`, text),
      );
    }
    const nearly = {
      name: 'nearly delimiters',
      text: (length: number) => `${head}x"\r\n\r\n${`\r\n--${boundary.slice(1)}`.repeat(length / 73)}`,
    };
    await expectLinearLater(nearly, LENGTH, (text) =>
      drain(`multipart/form-data; boundary=${boundary}`, text),
    );
    for (const shape of shapesAfter('multipart/form-data;', 'multipart/form-data; boundary="')) {
      await expectLinearLater(shape, LENGTH, (text) => drain(text, ''));
    }
  });
});

describe('input from platforms takes linear time to parse', () => {
  const payloadOf = (text: string): Buffer => {
    const message = { from: '1', id: 'wamid.x', timestamp: '1', type: 'text', text: { body: text } };
    const value = { messaging_product: 'whatsapp', metadata: { phone_number_id: '1' }, messages: [message] };
    return Buffer.from(
      JSON.stringify({
        object: 'whatsapp_business_account',
        entry: [{ id: '1', changes: [{ field: 'messages', value }] }],
      }),
    );
  };

  it.each<[string, (text: string) => unknown, readonly string[]]>([
    ['a text with a token', (text) => withoutToken(text, codesIn(text)[0] ?? ''), ['', `${'a'.repeat(32)} `]],
    ['a signature', (text) => isSigned(Buffer.from('x'), text, 's'), ['', 'sha256=']],
    ['a payload', (text) => readPayload(payloadOf(text), '1'), ['']],
  ])('%s', (_what, read, openings) => {
    for (const shape of shapesAfter(...openings)) expectLinear(shape, LENGTH, read);
  });

  it('a text with Markdown', () => {
    const openings = ['', '```', '`', '*', '_', '[', '[a](http://', '**', '*a', '*a _b'];
    for (const shape of shapesAfter(...openings)) {
      expectLinear(shape, LENGTH, formatted);
      expectLinear(shape, LONGEST_MARKED, formatted, MOST_MARKED_MS);
    }
  });
});

describe('media packets take linear time to parse', () => {
  const nobody = { senderReport: () => {}, reportBlock: () => {} };

  it.each([
    ['empty reports', [0x80, 201, 0, 0]],
    ['goodbyes', [0x80, 203, 0, 0]],
    ['reports that claim blocks', [0x9f, 201, 0, 1, 0, 0, 0, 0]],
    ['sender reports', [0x81, 200, 0, 12, ...Array<number>(48).fill(1)]],
  ])('RTCP: %s', (name, unit) => {
    const shape = {
      name,
      text: (length: number) => String.fromCharCode(...unit).repeat(length / unit.length),
    };
    expectLinear(shape, LENGTH, (text) => {
      const bytes = Buffer.from(text, 'latin1');
      readCompound(bytes, bytes.length, nobody);
    });
  });

  it('RTP: contributors, extensions and padding', () => {
    const packet = new RtpPacket();
    for (const first of ['\x8f', '\x9f', '\xbf', '\xa0']) {
      for (const shape of shapesAfter(`${first}\x00`)) {
        expectLinear(shape, LENGTH, (text) => {
          const bytes = Buffer.from(text, 'latin1');
          if (packet.read(bytes, 0, bytes.length)) packet.trimPadding();
        });
      }
    }
  });
});
