import { describe, expect, it } from 'vitest';
import { parsePostDial } from '../../../../../../src/base/post-dial.ts';
import { readDialString } from '../../../../../../src/connectors/sip/signaling/legs/dial-string.ts';

describe('a dial string', () => {
  it.each([
    // As copied from invitations of Zoom, Teams, Webex, GoToMeeting, Chime, Jitsi and BigBlueButton.
    ['+12532158782,,85775884256#,,,,*010383#', 'tel:+12532158782', ',,85775884256#,,,,*010383#'],
    ['+1 213-267-4046,,191605571#', 'tel:+1213-267-4046', ',,191605571#'],
    ['tel:+358985626463,,353854704#', 'tel:+358985626463', ',,353854704#'],
    [' +358 9 85626463,,353854704# ', 'tel:+358985626463', ',,353854704#'],
    ['tel:%2B1-650-479-3208,,*01*615734219%23%23*01*', 'tel:+1-650-479-3208', ',,*01*615734219##*01*'],
    [
      'tel:+49-555-0100,,*01*25503113955%23626114%23*01*',
      'tel:+49-555-0100',
      ',,*01*25503113955#626114#*01*',
    ],
    ['+1-415-655-0002,,1774007047##', 'tel:+1-415-655-0002', ',,1774007047##'],
    ['tel:+18775684106,,691818141#', 'tel:+18775684106', ',,691818141#'],
    ['+1 206-462-5569,,,6064724824#', 'tel:+1206-462-5569', ',,,6064724824#'],
    ['+1 209-844-4600,,1366520583#', 'tel:+1209-844-4600', ',,1366520583#'],
    ['tel:+16135551212,27777#', 'tel:+16135551212', ',27777#'],
    ['(646) 558-8656,,820445398#', 'tel:(646)558-8656', ',,820445398#'],
    ['%2B16465588656%2C%2C812%23', 'tel:+16465588656', ',,812#'],
    // With what stands behind it, and as mails and calendars typeset it.
    ['+16692192599,,812#,,,,,,0#,,123# US (San Jose)', 'tel:+16692192599', ',,812#,,,,,,0#,,123#'],
    ['+61861193900,,947#,,#,268664# Australia', 'tel:+61861193900', ',,947#,,#,268664#'],
    ['+1 206-555-0142,,123# United States, Seattle', 'tel:+1206-555-0142', ',,123#'],
    ['+1\u00a0206\u2011555\u20130142,,123\u00a0456#', 'tel:+1206-555-0142', ',,123456#'],
    ['\u202a+1 813-563-3025\u202c,,\u202a111 222\u202c#', 'tel:+1813-563-3025', ',,111222#'],
    ['＋１2065550142,,123＃', 'tel:+12065550142', ',,123#'],
    ['tel://+16465588656,,812#', 'tel:+16465588656', ',,812#'],
    // Android and iOS.
    ['TEL:+16465588656;812#', 'tel:+16465588656', ';812#'],
    ['+16465588656p812#w1', 'tel:+16465588656', 'p812#w1'],
    // RFC 3601, with parameters of RFC 3966 before and after.
    ['tel:+528262630900;postd=w6100', 'tel:+528262630900', 'w6100'],
    [
      'tel:+1-646;isub=2142114;postd=pp8%23;phone-context=example.com',
      'tel:+1-646;isub=2142114;phone-context=example.com',
      'pp8#',
    ],
    // SIP.
    ['sip:+16465588656,,812#@host;transport=tcp', 'sip:+16465588656@host;transport=tcp', ',,812#'],
    ['sips:+1%20646%2C%2C812%23@[::1]:5070', 'sips:+1646@[::1]:5070', ',,812#'],
    [
      'sip:12321321;isub=2142114;postd=2134*#-.2ppwww364@rock.com:5060;user=phone?header=we',
      'sip:12321321;isub=2142114@rock.com:5060;user=phone?header=we',
      '2134*#-.2ppwww364',
    ],
  ])('%s', (text, target, digits) => {
    expect(readDialString(text, '')).toEqual({ target, postDial: parsePostDial(digits) });
  });

  it.each([
    ['tel:+33-1-23-45-67-89', 'tel:+33-1-23-45-67-89'],
    ['+33123456789', 'tel:+33123456789'],
    ['1001', 'tel:1001'],
    ['tel:863-1234;phone-context=+1-914-555', 'tel:863-1234;phone-context=+1-914-555'],
    ['sip:+33123456789@127.0.0.1:5070', 'sip:+33123456789@127.0.0.1:5070'],
    ['sip:81234567890.123456@zoomcrc.com', 'sip:81234567890.123456@zoomcrc.com'],
    ['sip:smith,j@example.com', 'sip:smith,j@example.com'],
    ['sip:+331;phone-context=x@example.com', 'sip:+331;phone-context=x@example.com'],
    ['sip:example.com', 'sip:example.com'],
    ['https://zoom.us/j/1,2', 'https://zoom.us/j/1,2'],
    ['tel:', 'tel:'],
    ['tel:,,1', 'tel:,,1'],
  ])('%s has no digits after the number', (text, target) => {
    expect(readDialString(text, '')).toEqual({ target, postDial: [] });
    expect(readDialString(text, '1#').postDial).toEqual(parsePostDial('1#'));
  });

  it.each([
    ['+1 813-563-3025 PIN: 111 222#', 'meeting_url after the number: "I" at character 2 is neither'],
    ['tel:+1646;postd=x', 'meeting_url after the number: "x" at character 1'],
    ['sip:+1646,,@host', 'meeting_url after the number: there is no key to press'],
    ['+1646,%', 'meeting_url after the number: "%" at character 2'],
  ])('%s is refused', (text, message) => {
    expect(() => readDialString(text, '')).toThrow(message);
    expect(() => readDialString(text, '')).toThrow(expect.objectContaining({ code: 'invalid_meeting_url' }));
  });

  it('with digits in two places is refused', () => {
    expect(() => readDialString('+1646,,1#', '2#')).toThrow('leave them or dtmf out');
  });
});
