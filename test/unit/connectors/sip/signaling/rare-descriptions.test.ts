import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dialogOf, PhoneScene } from './phone-scene.ts';
import { sdp } from './scripted-peer.ts';

const SESSION = ['v=0', 'o=peer 1 1 IN IP4 127.0.0.1', 's=-'];

/** A description with these lines after its session's. */
function described(...lines: string[]): string {
  return [...SESSION, ...lines, ''].join('\r\n');
}

const HERE = 'c=IN IP4 127.0.0.1';
const NOW = 't=0 0';

describe('descriptions that others stumbled over', () => {
  let scene: PhoneScene;

  beforeEach(async () => {
    scene = await PhoneScene.open();
    scene.gateway.answerer.answersAtOnce = true;
  });

  afterEach(() => scene.close());

  /** The audio line that answers an offer, and the lines of media before and after it. */
  async function answerTo(body: string): Promise<string[]> {
    scene.invite([], body);
    const { content } = await scene.peer.response(200, 'INVITE');
    return content.split('\r\n').filter((line) => line.startsWith('m='));
  }

  it.each<[string, string, readonly RegExp[]]>([
    [
      'a video line that is off, with a type that there is not',
      described(
        HERE,
        NOW,
        'm=audio 43712 RTP/AVP 8 101',
        'a=rtpmap:101 telephone-event/8000',
        'm=video 0 RTP/AVP 255',
      ),
      [/^m=audio \d+ RTP\/AVP 8 101$/, /^m=video 0 RTP\/AVP /],
    ],
    [
      'several bandwidths',
      described(HERE, 'b=AS:84', NOW, 'm=audio 28594 RTP/AVP 8', 'b=RR:3000', 'b=RS:1000', 'b=TIAS:64000'),
      [/^m=audio [1-9]\d* RTP\/AVP 8$/],
    ],
    [
      'audio that is off before audio that is on',
      described(
        NOW,
        'm=audio 0 RTP/AVP 8',
        HERE,
        'm=video 0 RTP/AVP 34',
        'm=audio 12176 RTP/AVP 8',
        HERE,
        'a=rtpmap:8 PCMA/8000/1',
      ),
      [/^m=audio 0 /, /^m=video 0 /, /^m=audio [1-9]\d* RTP\/AVP 8$/],
    ],
    [
      'an address of the audio alone, and lower-case names',
      described(
        NOW,
        'm=audio 40000 RTP/AVP 96 97',
        HERE,
        'a=rtpmap:96 pcma/8000',
        'a=rtpmap:97 TELEPHONE-EVENT/8000',
      ),
      [/^m=audio [1-9]\d* RTP\/AVP 96 97$/],
    ],
    [
      'a packet time for each codec, and the longest',
      described(
        HERE,
        NOW,
        'm=audio 40000 RTP/AVP 18 0',
        'a=ptime:30',
        'a=rtpmap:0 PCMU/8000',
        'a=ptime:40',
        'a=maxptime:150',
        'a=sendrecv',
      ),
      [/^m=audio [1-9]\d* RTP\/AVP 0$/],
    ],
    [
      'line feeds alone, spaces at the end, and none after the last line',
      `${described(HERE, NOW, 'm=audio 40000 RTP/AVP 0 8 ', 'a=sendrecv').trimEnd().replaceAll('\r\n', '\n')}`,
      [/^m=audio [1-9]\d* RTP\/AVP 0/],
    ],
    [
      'unknown lines and attributes without a colon',
      described(
        HERE,
        'i=x',
        'u=http://x',
        'e=a@b',
        'p=+1',
        NOW,
        'r=7d 1h 0',
        'z=0 0',
        'a=X-nat:0',
        'm=audio 40000 RTP/AVP 8',
        'a=label',
        'a=',
        'a=silenceSupp:off - - - -',
      ),
      [/^m=audio [1-9]\d* RTP\/AVP 8$/],
    ],
  ])('%s', async (_, body, expected) => {
    const lines = await answerTo(body);
    expect(lines).toHaveLength(expected.length);
    for (const [i, line] of lines.entries()) expect(line).toMatch(expected[i]!);
  });
});

describe('holds that others stumbled over', () => {
  let scene: PhoneScene;

  beforeEach(async () => {
    scene = await PhoneScene.open();
  });

  afterEach(() => scene.close());

  const nowhere = (body: string): string => body.replaceAll('IP4 127.0.0.1', 'IP4 0.0.0.0');

  it.each<[string, string, string, boolean]>([
    [
      'sendonly in the last line, which does not end',
      sdp(40_000, { direction: 'sendonly' }).trimEnd(),
      'recvonly',
      true,
    ],
    [
      'sendonly of the session',
      sdp().replace('t=0 0', 't=0 0\r\na=sendonly').replace('a=sendrecv\r\n', ''),
      'recvonly',
      true,
    ],
    ['inactive', sdp(40_000, { direction: 'inactive' }), 'inactive', true],
    ['recvonly', sdp(40_000, { direction: 'recvonly' }), 'sendonly', false],
    ['0.0.0.0 without the map of a type', nowhere(sdp()).replace(/a=rtpmap:101.*\r\n/, ''), 'sendrecv', true],
    ['0.0.0.0 and inactive', nowhere(sdp(40_000, { direction: 'inactive' })), 'inactive', true],
  ])('%s', async (_, body, direction, isHeld) => {
    const { invite } = await scene.answered();
    const { dialog, contact } = dialogOf(invite);
    scene.peer.send('INVITE', contact, { ...dialog, cseq: 7, body });
    const answer = await scene.peer.response(200, 'INVITE');
    expect(answer.content).toMatch(/c=IN IP4 127\.0\.0\.1/);
    const stated = /a=(sendrecv|sendonly|recvonly|inactive)/.exec(answer.content)?.[1] ?? 'sendrecv';
    if (direction === 'sendrecv') expect(['sendrecv', 'recvonly']).toContain(stated);
    else expect(stated).toBe(direction);
    scene.peer.send('ACK', contact, { ...dialog, cseq: 7 });
    if (isHeld) await scene.notes.waitFor('held');
    scene.peer.send('INVITE', contact, { ...dialog, cseq: 8, body: sdp(40_000, { version: 2 }) });
    const back = await scene.peer.response(200, 'INVITE');
    expect(back.content).toContain('a=sendrecv');
    if (isHeld) await scene.notes.waitFor('resumed');
    expect(scene.notes.media.config).toMatchObject({ sending: true, receiving: true, remotePort: 40_000 });
  });
});
