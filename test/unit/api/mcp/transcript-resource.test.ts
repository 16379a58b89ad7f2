import { expect, test } from 'vitest';
import { TranscriptResource } from '../../../../src/api/mcp/transcript-resource.ts';
import type { CallEvent } from '../../../../src/calls/call-event.ts';
import { lineOf } from '../../../support/speech/recognized-line.ts';
import { ToolWorld } from './tool-world.ts';

async function scene() {
  const world = await ToolWorld.open();
  const resource = new TranscriptResource(world.calls.domain);
  const call_id = world.ring('+332');
  const uri = `svc://calls/${call_id}/transcript`;
  const call = world.calls.domain.registry.find(call_id)!;
  const textFor = async (as = world.agent) => {
    const { contents } = await resource.read(as, uri);
    expect(contents).toEqual([{ uri, mimeType: 'text/plain', text: expect.any(String) }]);
    return (contents[0] as { text: string }).text;
  };
  return { world, resource, call, call_id, uri, textFor };
}

test('every live call of a scope is listed, under the template', async () => {
  const { world, resource, uri } = await scene();
  expect(resource.templates).toMatchObject([{ uriTemplate: 'svc://calls/{call_id}/transcript' }]);
  expect(resource.list(world.agent)).toEqual([
    {
      uri,
      name: expect.any(String),
      title: 'Transcript: sip call from +332',
      mimeType: 'text/plain',
    },
  ]);
  expect(resource.list(world.stranger)).toEqual([]);
});

test('a transcript is empty until it is written to, then has a line for each utterance', async () => {
  const { world, resource, call, call_id, uri, textFor } = await scene();
  expect(await textFor()).toBe('');
  const [updates, others, heard]: [string[], string[], CallEvent[]] = [[], [], []];
  const unwatch = resource.watch(world.agent, (updated) => updates.push(updated));
  resource.watch(world.stranger, (updated) => others.push(updated));
  call.observe({ event: (event) => heard.push(event) });

  call.transcribed(lineOf('+332', 'Hello?'));
  call.transcribed(lineOf('AI Agent', 'Good morning'));
  expect(await textFor()).toBe('[+332] Hello?\n[AI Agent] Good morning');
  expect(updates).toEqual([uri, uri]);
  expect(others).toEqual([]);
  expect(heard[0]).toEqual({ type: 'call_transcript', ...lineOf('+332', 'Hello?') });
  const since = (count: number) => world.ask('svc_call_status', { call_id, since: count });
  expect(await since(1)).toMatchObject({ transcript: ['[AI Agent] Good morning'], transcript_length: 2 });
  expect(await since(2)).toMatchObject({ transcript: [], transcript_length: 2 });

  unwatch();
  call.transcribed(lineOf('+332', 'Bye'));
  expect(updates).toHaveLength(2);
});

test('the list changes when a call begins and when it ends', async () => {
  const { world, resource, call_id } = await scene();
  let changes = 0;
  const unwatch = resource.watchList(world.agent, () => changes++);
  await world.ask('svc_call_leave', { call_id });
  expect(changes).toBe(1);
  world.ring('+333');
  expect(changes).toBe(2);
  unwatch();
  world.ring('+334');
  expect(changes).toBe(2);
});

test('a URI that is not a transcript of a call of the scope is not found', async () => {
  const { world, resource, call_id, uri, textFor } = await scene();
  const notFound = { code: 'call_not_found' };
  for (const wrong of [
    'svc://calls/call_none/transcript',
    `svc://calls/${call_id}`,
    `${uri}/x`,
    'file:///etc',
  ])
    await expect(resource.read(world.agent, wrong)).rejects.toMatchObject(notFound);
  await expect(textFor(world.stranger)).rejects.toMatchObject(notFound);
  await world.ask('svc_call_leave', { call_id });
  await expect(textFor()).rejects.toMatchObject(notFound);
});
