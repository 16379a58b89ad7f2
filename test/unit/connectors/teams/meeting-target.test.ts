import { expect, it } from 'vitest';
import { readMeetingTarget } from '../../../../src/connectors/teams/meetings/meeting-target.ts';

const LINK =
  'https://teams.microsoft.com/l/meetup-join/19%3ameeting_YWJj%40thread.v2/0?context=%7b%22Tid%22%3a%22t%22%2c%22Oid%22%3a%22o%22%7d';
it.each([
  LINK,
  `${LINK}&anon=true&deeplinkId=1`,
  `https://teams.microsoft.com/dl/launcher/launcher.html?url=${encodeURIComponent(`/_#${LINK.slice(27)}`)}&type=meetup-join`,
  `https://teams.microsoft.com/v2/?meetingjoin=true#${LINK.slice(27)}`,
  `  ${LINK.slice(8)} `,
  // As browsers, mails and programs change it.
  LINK.replace('.com/', '.com:443/').replace(/%../g, (code) => code.toUpperCase()),
  'https://teams.microsoft.com/l/meetup-join/19:meeting_YWJj@thread.v2/0?context={"Tid":"t","Oid":"o"}',
  LINK.replace('https', 'msteams'),
  LINK.replace('https://teams.microsoft.com', 'msteams:'),
])('finds the link in %s', (text) => {
  expect(readMeetingTarget(text)).toEqual({ kind: 'meeting', meeting: { by: 'join_url', url: LINK } });
});

it.each([
  'https://teams.microsoft.com/meet/2345678901234?p=abcDEF',
  'https://teams.cloud.microsoft/meet/2345678901234',
  'https://gov.teams.microsoft.us/meet/2345678901234/',
  'https://teams.microsoft.com/dl/launcher/launcher.html?url=%2F_%23%2Fmeet%2F2345678901234%3Fp%3Dabc%26anon%3Dtrue',
  'https://teams.microsoft.com/v2/?meetingjoin=true#/meet/2345678901234?p=abc',
  'msteams://teams.microsoft.com/meet/2345678901234?p=abc',
])('finds the meeting id in %s', (text) => {
  expect(readMeetingTarget(text)).toEqual({
    kind: 'meeting',
    meeting: { by: 'meeting_id', id: '2345678901234' },
  });
});

it.each(['+1 206-555-0142,,123456789#', 'tel:+12065550142,,123456789%23', 'sip:teams@example.com'])(
  'dials %s',
  (target) => {
    expect(readMeetingTarget(target)).toEqual({ kind: 'dial', target });
  },
);

it.each([
  ['https://teams.live.com/meet/9312345678901?p=x', /private Teams accounts/],
  ['https://teams.microsoft.com/', /is not a Teams meeting/],
  ['https://teams.microsoft.com/l/meetup-join/19%E0/0', /is not a Teams meeting/],
  ['msteams://example.com/meet/2345678901234', /is not a Teams meeting/],
  ['https://teams.microsoft.com/l/chat/0/0?users=28:x', /is not a Teams meeting/],
  ['https://teams.microsoft.com.example/meet/2345678901234', /is not a Teams meeting/],
  ['https://teams.microsoft.com@example.com/meet/2345678901234', /is not a Teams meeting/],
  ["https://teams.microsoft.com/meet/1' or '1", /is not a Teams meeting/],
  ['https://meet.google.com/abc-mnop-xyz', /is not a Teams meeting/],
  [`https://teams.microsoft.com/l/meetup-join/${'x'.repeat(3_000)}/0`, /is not a Teams meeting/],
])('refuses %s', (text, message) => {
  expect(() => readMeetingTarget(text)).toThrow(
    expect.objectContaining({ code: 'invalid_meeting_url', message: expect.stringMatching(message) }),
  );
});
