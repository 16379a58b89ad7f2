import { createSocket } from 'node:dgram';
import { expect, it } from 'vitest';
import { slope } from '../../../../bench/calls/memory.ts';
import { NgClient } from '../../../../bench/calls/ng-client.ts';
import { histogramOf, quantileBound } from '../../../../bench/calls/tick-histogram.ts';
import { audioPort, audioSdp } from '../../../../bench/sip-text.ts';

const METRICS = `# HELP late_seconds How late
late_seconds_bucket{le="0.0005"} 900
late_seconds_bucket{le="0.02",thread="1"} 999
late_seconds_bucket{le="+Inf"} 1000
late_seconds_sum 3.5
later_seconds_bucket{le="0.0005"} 7
`;

it('the slope is that of the line through all points', () => {
  expect(
    slope([
      [1, 10],
      [2, 20],
      [3, 30],
    ]),
  ).toBe(10);
  expect(
    slope([
      [0, 5],
      [10, 5],
      [20, 5],
    ]),
  ).toBe(0);
  expect(
    slope([
      [1, 0],
      [2, 20],
      [3, 10],
    ]),
  ).toBe(5);
});

it('reads a quantile off a histogram of Prometheus, in milliseconds', () => {
  const histogram = histogramOf(METRICS, 'late_seconds');
  expect(histogram).toEqual([
    [0.5, 900],
    [20, 999],
    [Number.POSITIVE_INFINITY, 1000],
  ]);
  expect([0.5, 0.9, 0.95, 0.999, 0.9995].map((share) => quantileBound(histogram, share))).toEqual([
    ...[0.5, 0.5, 20, 20, Number.POSITIVE_INFINITY],
  ]);
  expect(quantileBound(histogramOf(METRICS, 'no_seconds'), 0.5)).toBeNaN();
});

it('finds the port of an SDP that it wrote', () => {
  expect(audioPort(audioSdp('127.0.0.1', 4_000))).toBe(4_000);
  expect(() => audioPort('v=0\r\nm=video 9 RTP/AVP 0\r\n')).toThrow('no audio');
});

it('speaks with rtpengine in bencode', async () => {
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
