import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../../../support/wait-for.ts';
import { dialogOf, type PeerDialog, PhoneScene } from './phone-scene.ts';

describe('digits by INFO', () => {
  let scene: PhoneScene;
  let call: { readonly dialog: PeerDialog; readonly contact: string };
  let cseq = 10;

  beforeEach(async () => {
    scene = await PhoneScene.open();
    call = dialogOf((await scene.answered()).invite);
  });

  afterEach(() => scene.close());

  async function inform(type: string, body: string, status = 200): Promise<void> {
    cseq += 1;
    scene.peer.send('INFO', call.contact, { ...call.dialog, cseq, headers: [`Content-Type: ${type}`], body });
    await scene.peer.response(status, 'INFO');
  }

  const relay = (digit: string): Promise<void> =>
    inform('application/dtmf-relay', `Signal=${digit}\r\nDuration=160\r\n`);

  it.each([
    ['application/dtmf-relay', 'Signal= 5\r\nDuration= 160\r\n', '5'],
    ['application/dtmf-relay', 'Signal: 11', '#'],
    ['application/dtmf-relay', 'Signal=5\r\nDuration=160', '5'],
    ['application/dtmf-relay', ' Signal= #\r\n Duration= 100\r\n', '#'],
    ['application/dtmf-relay', 'signal =1\nDuration=100\nVolume=10\nX=2', '1'],
    ['application/dtmf-relay', 'Duration=160\r\nSignal=3', '3'],
    ['application/dtmf-relay; charset=UTF-8', 'Signal=4', '4'],
    ['application/dtmf', '10', '*'],
    ['application/dtmf', '*', '*'],
    ['Application/DTMF;charset=utf8', 'd\r\n', 'D'],
    ['audio/telephone-event', 'Signal=7\r\nDuration=100\r\n', '7'],
    ['audio/telephone-event', '9', '9'],
    ['audio/telephone-event', '\x0b\x0a\x03\x20', '#'],
    ['application/vnd.nortelnetworks.digits', 'p=Digit-Collection\r\ny=Digits\r\nd=6\r\n', '6'],
    ['application/vnd.nortelnetworks.digits', 'd=1234#\r\n', '1234#'],
    ['application/vnd.nortelnetworks.digits', 'Signal=10\r\nDuration=200\r\n', '*'],
  ])('are read from %s %j', async (type, body, digits) => {
    await inform(type, body);
    expect(scene.notes.digits).toBe(digits);
  });

  it.each([
    ['application/dtmf-relay', 'Signal=x'],
    ['application/vnd.nortelnetworks.digits', 'd=12x'],
    ['text/plain', '5'],
  ])('are refused as %s %j', async (type, body) => {
    await inform(type, body, 415);
    expect(scene.notes.digits).toBe('');
  });

  it('are not missed in an INFO that has none', async () => {
    cseq += 1;
    scene.peer.send('INFO', call.contact, { ...call.dialog, cseq });
    await scene.peer.response(200, 'INFO');
    expect(scene.notes.digits).toBe('');
  });

  it('count once when they come by RTP as well, however late within a second', async () => {
    const byRtp = (digits: string): void => {
      for (const digit of digits) scene.notes.media.onEvent({ type: 'dtmf', digit });
    };
    await waitFor('media', () => scene.notes.media.configs.length > 0);
    byRtp('98');
    await relay('9');
    await relay('8');
    expect(scene.notes.digits).toBe('98');
    byRtp('1123');
    for (const digit of ['1', '1', '2', '3', '3']) await relay(digit);
    expect(scene.notes.digits).toBe('9811233');
    await relay('4');
    byRtp('45');
    await relay('5');
    expect(scene.notes.digits).toBe('981123345');
  });
});
