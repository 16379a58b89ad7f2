import { expect } from 'vitest';
import { WebSocket } from 'ws';
import type { AnyJson } from '../../support/any-json.ts';
import { EventLog } from '../../support/event-log.ts';
import type { Gateway } from '../../support/gateway.ts';
import type { MessengerRule, MessengerUnderTest } from './messenger-under-test.ts';
import { Talk } from './talk.ts';

const MANY = 30;

export const RECEIVING_RULES: readonly MessengerRule[] = [
  {
    title: 'what a person writes is in the inbox, and agents are told of it',
    async check(subject) {
      const talk = await Talk.with(subject);
      const { events, socket } = await eventsOf(subject.gateway);
      const cursor = await cursorOf(subject.gateway);
      await talk.hears('good morning');
      const { platform } = subject.connector;
      const { remoteId, name } = talk.person;
      const message = { text: 'good morning', direction: 'inbound', status: 'received' };
      const isIt = (event: AnyJson) => event.type === 'dm_chat' && event.message.text === 'good morning';
      const event = await events.next('the event', isIt, subject.patienceMs);
      expect(event).toMatchObject({ platform, peer: { remote_id: remoteId, remote_name: name }, message });
      const told = await subject.gateway.agentApi.get(`/api/inbox?last_message_cursor=${cursor}`);
      expect(told.body.conversations).toMatchObject([
        { platform, remote_id: remoteId, remote_name: name, messages: [message] },
      ]);
      socket.terminate();
    },
  },
  {
    title: 'what a person writes keeps its order',
    async check(subject) {
      const talk = await Talk.with(subject);
      const texts = Array.from({ length: MANY }, (_, n) => `line ${n}`);
      for (const text of texts) talk.person.writes(text);
      await talk.waitForInbound(texts);
    },
  },
  {
    title: 'a message that the platform delivers again is stored once',
    async check(subject) {
      const talk = await Talk.with(subject);
      const message = await talk.hears('once');
      talk.person.repeats(message);
      await talk.hears('and another');
      talk.person.repeats(message);
      await talk.hears('and a third');
      await talk.waitForInbound(['once', 'and another', 'and a third']);
    },
  },
  {
    title: 'an edited message shows its new text, and an edit that changes nothing is no event',
    applies: ({ canEdit }) => canEdit,
    async check(subject) {
      const talk = await Talk.with(subject);
      const message = await talk.hears('before');
      const cursor = await cursorOf(subject.gateway);
      for (let times = 0; times < 2; times++) talk.person.edits!(message, 'after');
      await talk.hears('the next message');
      await talk.waitForInbound(['after', 'the next message']);
      const { body } = await subject.gateway.agentApi.get(`/api/inbox?last_message_cursor=${cursor}`);
      const edits = (body.events ?? []).filter(({ type }: AnyJson) => type === 'dm_edited');
      expect(edits).toHaveLength(1);
    },
  },
];

export async function cursorOf({ agentApi }: Gateway): Promise<string> {
  return encodeURIComponent((await agentApi.get('/api/inbox')).body.cursor);
}

/** Everything on the agent's inbox WebSocket from now on. */
async function eventsOf(
  gateway: MessengerUnderTest['gateway'],
): Promise<{ events: EventLog<AnyJson>; socket: WebSocket }> {
  const url = `${gateway.baseUrl.replace('http', 'ws')}/api/inbox/stream?api_key=${gateway.agentKey}`;
  const socket = new WebSocket(url);
  const events = new EventLog<AnyJson>();
  socket.on('message', (data) => events.push(JSON.parse(`${data}`)));
  await events.next('the inbox WebSocket', ({ type }) => type === 'ready');
  return { events, socket };
}
