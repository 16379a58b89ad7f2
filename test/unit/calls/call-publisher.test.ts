import { expect, it } from 'vitest';
import { listCalls } from '../../../src/calls/call-domain.ts';
import { lineOf } from '../../support/speech/recognized-line.ts';
import { waitFor } from '../../support/wait-for.ts';
import { MeetingWorld } from './meeting-world.ts';

it('tells the record first and the WebSockets last, and lists a call exactly while it lives', async () => {
  const world = await MeetingWorld.open();
  await world.bot('a', 'bot_a');
  const { domain } = world;
  const order: string[] = [];
  const listed = () => listCalls(domain, world.scope('a')).length;
  const { happened } = domain.recorder;
  domain.recorder.happened = (call, event) => {
    order.push(`record ${event.type} ${call.state}, listed ${listed()}`);
    happened.call(domain.recorder, call, event);
  };
  domain.registry.followers.follow(
    'acc_a',
    (_call, news) => void order.push(`follower ${news}, listed ${listed()}`),
  );
  domain.registry.followers.follow('acc_b', () => void order.push('a stranger'));
  const call = await world.place();
  call.observe({ event: ({ type }) => void order.push(`stream ${type}, listed ${listed()}`) });
  const { observer } = world.meetings.leg;
  observer.answered();
  observer.dtmf('5');
  call.transcribed(lineOf('Ada', 'hello'));
  observer.ended('lost', { result: 'disconnected', reason: 'test' });
  expect(order).toEqual([
    'record call_state connecting, listed 0',
    'follower began, listed 1',
    'record call_state active, listed 1',
    'stream call_state, listed 1',
    'record dtmf active, listed 1',
    'stream dtmf, listed 1',
    'record call_transcript active, listed 1',
    'follower transcribed, listed 1',
    'stream call_transcript, listed 1',
    'record call_error disconnected, listed 1',
    'stream call_error, listed 1',
    'record call_state disconnected, listed 1',
    'follower over, listed 0',
    'stream call_state, listed 0',
  ]);
});

it('tells of an inbound call by an invitation, which only its agent reads', async () => {
  const world = await MeetingWorld.open();
  world.meetings.ring(world.owner('a'), { kind: 'shared' });
  const [call] = world.domain.registry.listOf('acc_a');
  const events = await waitFor('the invitation', async () => {
    const rows = await world.store.db.selectFrom('events').selectAll().execute();
    return rows.length > 0 && rows;
  });
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({
    accountId: 'acc_a',
    agentId: 'agt_a',
    type: 'call_invite',
    platform: 'discord',
  });
  expect(events[0]!.payload).toEqual({
    call_id: call!.identity.callId,
    platform: 'discord',
    state: 'ringing',
    caller: 'Ada',
    meeting_url: 'https://meet.example/1',
    agent_name: 'AI Agent',
  });
});
