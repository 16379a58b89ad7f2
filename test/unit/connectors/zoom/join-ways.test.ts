import { describe, expect, it } from 'vitest';
import { joinWay } from '../../../../src/connectors/zoom/calls/meeting-target.ts';

const wayOf = (target: string, dtmf = '') => joinWay({ target, dtmf }, null);

describe('the way into a Zoom meeting', () => {
  it.each([
    ['81234567890.123456@zoomcrc.com', '', 'sip:81234567890.123456@zoomcrc.com'],
    ['81234567890.123456', '', 'sip:81234567890.123456@zoomcrc.com'],
    ['https://zoom.us/j/81234567890', '', 'sip:81234567890@zoomcrc.com'],
    ['https://zoom.us/j/81234567890?pwd=abc', '123456#', 'sip:81234567890@zoomcrc.com'],
    ['+16465588656,,81234567890#', '', '+16465588656,,81234567890#'],
    ['tel:+16465588656', ',,81234567890#', 'tel:+16465588656'],
  ])('%s with the keys "%s" is dialled as %s', (target, dtmf, dialled) => {
    expect(wayOf(target, dtmf)).toEqual({ target: dialled });
  });

  const WAYS = (id: string) =>
    `send ${id}.PASSCODE@zoomcrc.com, with the numeric passcode, if the host has a Conference Room Connector, or, with a SIP trunk, a number of the invitation: +16465588656,,${id}#,,,,*PASSCODE#`;

  it.each([
    [
      'https://us02web.zoom.us/j/81234567890?pwd=abc.1',
      `the passcode in this link is encoded, so that only apps of Zoom can use it; ${WAYS('81234567890')}`,
    ],
    ['https://zoom.us/my/jane', `a personal link does not contain the id of its meeting; ${WAYS('ID')}`],
    [
      'https://zoom.us/meeting/register/tJwqd',
      `this link does not contain the id of its meeting; ${WAYS('ID')}`,
    ],
    [
      '+16465588656',
      'the number alone leads to no meeting; send it with the id, as the invitation has it: +16465588656,,ID#,,,,*PASSCODE#',
    ],
    [
      'https://meet.google.com/abc-defg-hij',
      'meeting_url is no Zoom meeting; send a link (https://zoom.us/j/ID), an address (ID.PASSCODE@zoomcrc.com), or a number with the id (+16465588656,,ID#)',
    ],
  ])('is missing for %s', (target, detail) => {
    expect(() => wayOf(target)).toThrow(
      expect.objectContaining({ code: 'invalid_meeting_url', message: detail }),
    );
  });

  it('needs a meeting', () => {
    expect(() => wayOf(' ')).toThrow(expect.objectContaining({ code: 'meeting_url_required' }));
  });
});
