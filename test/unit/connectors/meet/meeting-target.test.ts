import { expect, it } from 'vitest';
import { readMeetingTarget } from '../../../../src/connectors/meet/calls/meet-directory.ts';

it.each([
  'https://meet.google.com/abc-mnop-xyz',
  'https://meet.google.com/abc-mnop-xyz?authuser=1&hs=122',
  'https://meet.google.com/ABC-mnop-xyz/',
  'http://meet.google.com/abc-mnop-xyz#x',
  'https://meet.google.com/_meet/abc-mnop-xyz?ijlm=1617121727687&adhoc=1&hs=187',
  'https://tel.meet/abc-mnop-xyz?pin=1234567890123&hs=1',
  'meet.google.com/abc-mnop-xyz',
  'abc-mnop-xyz',
  'abcmnopxyz',
  '  abc-mnop-xyz ',
])('reads the code of %s', (text) => {
  expect(readMeetingTarget(text)).toEqual({ kind: 'meeting', meeting: 'abc-mnop-xyz' });
});

it.each([
  '+16505551234,,123456789#',
  'tel:+1-650-555-1234,,123456789%23',
  'sip:1234567890123@gateway.example',
])('dials %s', (target) => {
  expect(readMeetingTarget(target)).toEqual({ kind: 'dial', target });
});

it.each([
  'https://meet.google.com/',
  'https://meet.google.com/lookup/standup',
  'https://meet.google.com/landing',
  'https://meet.google.com/new',
  'https://meet.google.com/abc-mnop',
  'https://meet.google.com.example/abc-mnop-xyz',
  'https://meet.google.com@example.com/abc-mnop-xyz',
  'https://user:pass@meet.google.com/abc-mnop-xyz',
  'https://meet.google.com:8443/abc-mnop-xyz',
  'https://zoom.us/j/123',
  'ftp://meet.google.com/abc-mnop-xyz',
  'abc-mnop-xyz-uvw',
  `${'a'.repeat(2_000)}-mnop-xyz`,
  '../../conferenceRecords',
])('refuses %s', (text) => {
  expect(() => readMeetingTarget(text)).toThrow(expect.objectContaining({ code: 'invalid_meeting_url' }));
});
