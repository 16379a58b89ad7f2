import { describe, expect, it } from 'vitest';
import { readMeeting } from '../../../../src/connectors/zoom/calls/meeting-target.ts';

const ID = '81234567890';
const HASH = 'Q1RzZ2NtWnlrZ0ZlR2xyUT09';

describe('a Zoom link', () => {
  it.each([
    [`https://zoom.us/j/${ID}`, false],
    [`http://zoom.us/j/${ID}`, false],
    [`zoom.us/j/${ID}`, false],
    [`HTTPS://ZOOM.US/j/${ID}`, false],
    [`https://www.zoom.us/j/${ID}/`, false],
    [`https://us02web.zoom.us/j/${ID}?pwd=${HASH}`, true],
    [`https://us06web.zoom.us/j/${ID}?pwd=bR0Q7ST2McMycLVVBFYKqw9Lc3ZkuP.1`, true],
    [`https://us06web.zoom.us/j/${ID}?pwd=`, false],
    [`https://zoom.us/j/${ID}?pwd=123456&from=addon`, true],
    [`https://zoom.us/j/${ID}#success`, false],
    [`https://zoom.us/j/${ID}?status=success`, false],
    [`https://company.zoom.us/j/${ID}?pwd=${HASH}#success`, true],
    [`https://my-company.zoom.us/s/${ID}`, false],
    [`https://company.zoom.us/w/${ID}?tk=abc.DQYAAAAX&pwd=${HASH}`, true],
    [`https://app.zoom.us/wc/${ID}/join`, false],
    [`https://app.zoom.us/wc/${ID}/start`, false],
    [`https://zoom.us/wc/join/${ID}?wpk=wcpk45d618`, false],
    [`https://us06web.zoom.us/launch/jc/${ID}`, false],
    [`https://zoom.us/j/812-3456-7890`, false],
    [`https://zoom.us/j/812%203456%207890`, false],
    ['https://zoom.us/j/812 3456 7890', false],
    ['https://zoom.us/j/812+3456+7890', false],
    ['https://zoom.us/j/812%C2%A03456%C2%A07890', false],
    [`https://zoom.us/meeting/${ID}`, false],
    [`https://zoom.com/j/${ID}`, false],
    [`https://university.zoom-x.de/j/${ID}?pwd=${HASH}`, true],
    [`https://company.zoom.com.cn/j/${ID}`, false],
    [`https://agency.zoomgov.com/j/${ID}?pwd=${HASH}`, true],
    [`zoommtg://zoom.us/join?action=join&confno=${ID}&pwd=${HASH}`, true],
    [`zoommtg://school.zoom.us/join?confno=${ID}`, false],
    [`zoomus://zoom.us/join?confno=${ID}`, false],
    [`  https://zoom.us/j/${ID}\n`, false],
  ])('%s has an id, and a passcode: %s', (text, hasPasscode) => {
    expect(readMeeting(text)).toEqual({ kind: 'link', id: ID, hasPasscode });
  });

  it.each(['248709302', '1612345678'])('may have an id of 9 to 11 digits: %s', (id) => {
    expect(readMeeting(`https://zoom.us/j/${id}`)).toMatchObject({ id });
  });

  it.each([
    ['https://company.zoom.us/my/jane.doe', 'a personal link'],
    [`https://zoom.us/my/jane?pwd=${HASH}`, 'a personal link'],
    ['https://zoom.us/meeting/register/tJwqd-2orzMqHdW', 'this link'],
    ['https://zoom.us/webinar/register/WN_abc', 'this link'],
    ['https://events.zoom.us/ejl/AyQcMv', 'this link'],
    ['https://zoom.us/u/aeSfvsZIh', 'this link'],
    ['https://zoom.us/rec/share/81234567890', 'this link'],
    ['https://zoom.us/', 'this link'],
    ['https://zoom.us/j/1234', 'this link'],
    [`https://zoom.us/j/${ID}0`, 'this link'],
    [`https://zoom.us/profile/${ID}`, 'this link'],
    ['https://zoom.us/j/%E0%A4%A', 'this link'],
  ])('%s is %s', (text, what) => expect(readMeeting(text)).toEqual({ kind: 'named', what }));
});

describe('a room system’s address', () => {
  it.each([
    [`${ID}@zoomcrc.com`, `sip:${ID}@zoomcrc.com`],
    [`${ID}.123456@zoomcrc.com`, `sip:${ID}.123456@zoomcrc.com`],
    [`sip:${ID}.123456@zoomcrc.com`, `sip:${ID}.123456@zoomcrc.com`],
    [`sips:${ID}.123456@zoomcrc.com`, `sips:${ID}.123456@zoomcrc.com`],
    [`${ID}.123456@global.zoomcrc.com`, `sip:${ID}.123456@global.zoomcrc.com`],
    [`${ID}.123456.1111.0000.1234@zoomcrc.com`, `sip:${ID}.123456.1111.0000.1234@zoomcrc.com`],
    [`${ID}..1@zoomcrc.com`, `sip:${ID}..1@zoomcrc.com`],
    [`${ID}.123456@zoomcrc.com;transport=tls`, `sip:${ID}.123456@zoomcrc.com;transport=tls`],
    [`${ID}@rooms.company.example:5061`, `sip:${ID}@rooms.company.example:5061`],
    [`${ID}.123456.1`, `sip:${ID}.123456.1@zoomcrc.com`],
  ])('%s', (text, uri) => expect(readMeeting(text)).toEqual({ kind: 'room', uri }));
});

describe('an id', () => {
  it.each([
    [ID, ''],
    ['812 3456 7890', ''],
    ['812-3456-7890', ''],
    [`${ID}.123456`, '123456'],
  ])('%s', (text, passcode) => expect(readMeeting(text)).toEqual({ kind: 'id', id: ID, passcode }));
});

describe('a dial-in number', () => {
  it.each([
    [`+16465588656,,${ID}#,,,,*123456#`, true],
    [`tel:+16465588656,,${ID}#`, true],
    [`tel:%2B16465588656,,${ID}%23`, true],
    [`tel:+16465588656;postd=pp${ID}%23`, true],
    ['tel:+1-646-558-8656', false],
    ['tel:+16465588656;ext=5', false],
    [`+16465588656;${ID}#`, true],
    ['+1 646 558 8656', false],
  ])('%s, with keys: %s', (text, hasKeys) => {
    expect(readMeeting(text)).toEqual({ kind: 'phone', text, hasKeys });
  });
});

describe('no meeting of Zoom’s is', () => {
  it.each([
    'https://meet.google.com/abc-defg-hij',
    'https://zoom.us.evil.example/j/81234567890',
    'https://evil-zoom.us/j/81234567890',
    'https://evil-zoom-x.de/j/81234567890',
    'https://evil.example/zoom.us/j/81234567890',
    'https://zoom.us@evil.example/j/81234567890',
    'https://user@zoom.us/j/81234567890',
    'https://zoom.us:8443/j/81234567890',
    'https://zооm.us/j/81234567890',
    'javascript://zoom.us/j/81234567890',
    'ftp://zoom.us/j/81234567890',
    'file:///zoom.us/j/81234567890',
    'sip:lobby@zoomcrc.com',
    'sip:81234567890@zoomcrc.com@evil.example',
    '81234567890.12 34@zoomcrc.com',
    '8123',
    'Join Zoom Meeting https://zoom.us/j/81234567890',
    'x',
    `https://zoom.us/j/81234567890?${'x'.repeat(2_048)}`,
  ])('%s', (text) => expect(readMeeting(text)).toBeNull());
});
