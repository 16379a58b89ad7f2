import { createSocket } from 'node:dgram';
import { expect, it } from 'vitest';
import { NgClient } from '../../../../bench/calls/ng-client.ts';
import { audioPort, audioSdp } from '../../../../bench/sip-text.ts';

it('parses the port of its own SDP', () => {
  expect(audioPort(audioSdp('127.0.0.1', 4_000))).toBe(4_000);
  expect(() => audioPort('v=0\r\nm=video 9 RTP/AVP 0\r\n')).toThrow('no audio');
});

it('talks to rtpengine in bencode', async () => {
  const engine = createSocket('udp4');
  const heard: string[] = [];
  engine.on('message', (bytes, { port }) => {
    const [cookie = '', body = ''] = `${bytes}`.split(/ (.*)/s);
    heard.push(body);
    const answer = body.includes('4:ping')
      ? 'd3:agei7e6:result4:ponge'
      : 'd12:error-reason3:bad6:result5:errore';
    engine.send(`${cookie} ${answer}`, port, '127.0.0.1');
  });
  await new Promise<void>((resolve) => engine.bind(0, '127.0.0.1', resolve));
  const client = new NgClient(engine.address().port);
  expect(await client.ask({ command: 'ping', replace: ['origin'] })).toEqual({ result: 'pong' });
  await expect(client.ask({ command: 'offer', sdp: 'v=0' })).rejects.toThrow('rtpengine: bad');
  expect(heard).toEqual(['d7:command4:ping7:replacel6:originee', 'd7:command5:offer3:sdp3:v=0e']);
  client.close();
  engine.close();
});
