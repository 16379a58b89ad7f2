import type { Fields } from '../../parts/field.ts';

export const t = {
  provider: {
    label: 'Model',
    hint: 'The gateway asks it about each event, and carries out what it replies',
    type: 'choice',
  },
  none: 'None: my own program reads the events',
  browse: 'See what this key offers',
  offers: { model: 'Models', agent_id: 'Hosted agents' },
  choose: 'Choose …',
  ends: (name: string, date: string) => `${name} (ends ${date.slice(0, 10)})`,
  usual: (value: string) => `Default (${value})`,
  words: (prompt: string): Fields => ({
    system_prompt: {
      label: 'Instructions',
      hint: 'Empty: the gateway’s own',
      type: 'area',
      rows: 8,
      maxLength: 100_000,
      placeholder: prompt,
    },
    greeting: {
      label: 'Greeting',
      hint: 'Said when a call is answered, without asking the model',
      type: 'area',
      rows: 2,
      maxLength: 1_000,
    },
  }),
  events: 'Events that ask the model',
  eventTypes: {
    dm_chat: 'Direct messages',
    call_chat: 'Chat of calls',
    call_invite: 'Ringing calls',
    call_transcript: 'What is said on calls',
    call_state: 'State of calls',
    call_error: 'Failures of calls',
    dm_delivered: 'Late deliveries',
    test: 'Test',
    healthcheck: 'Health check',
  } as Readonly<Record<string, string>>,

  test: 'Test',
  testHint: 'Asks the model about a message that nobody wrote. Nothing is sent to anybody.',
  testAction: 'Test the agent',
  forget: 'Forget its conversations',
  forgotten: 'The model begins anew',

  delivery: 'Delivery',
  noDelivery: 'The model was not asked yet.',
  event: 'The event',
  reply: 'The reply',
  actions: 'What it did',
  replay: 'Ask again',
  replayed: 'The event was queued again',
  cost: (attempts: number, input: number | null, output: number | null) =>
    `Asked ${attempts} times · ${input ?? '–'} tokens in, ${output ?? '–'} out`,
};
