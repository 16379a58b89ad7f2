import type { Fields } from '../parts/field.ts';
import { texts } from '../texts.ts';

export const t = {
  create: 'New agent',
  unknown: 'There is no such agent.',
  isDefault: 'Default',
  ownRuntime: 'Driven by your own program',
  drivenBy: (provider: string) => `Driven by ${provider}`,
  counts: (accounts: number, keys: number, clients: number) =>
    `Logins: ${accounts} · Keys: ${keys} · MCP clients: ${clients}`,
  talk: 'Talk to this agent',
  tabs: { members: 'Members', provider: 'Provider', deliveries: 'Deliveries', settings: 'Settings' },

  accounts: 'Logins',
  noAccounts: 'No login belongs to this agent.',
  addAccount: 'Login of another agent',
  keys: 'Keys',
  noKeys: 'No key acts for this agent.',
  addKey: 'Key of another agent',
  clients: 'MCP clients',
  add: 'Add',
  takeOut: 'Take out',

  naming: {
    name: { label: texts.name, required: true, maxLength: 80 },
    timeout_text: {
      label: 'When there is no answer within 60 s',
      hint: 'Sent to the person. Empty: the default text',
      rows: 2,
      maxLength: 1_000,
    },
  } as Fields,
  makeDefault: 'Make it the default',
  removeQuestion: (name: string) => `Remove the agent ${name}? Its live calls end.`,

  policy: 'What its model may do',
  policyFields: {
    calls: {
      label: 'Whom it may call',
      hint: 'One in a line: +4420*, sip:desk@example.com, zoom.us, or * for everybody. Callers can be called back',
      type: 'lines',
      rows: 3,
    },
    new_conversations: { label: 'Write to others than the conversation that it answers', type: 'check' },
    tools: { label: 'No look at the account, the inbox and calls', type: 'check' },
    actions_per_turn: {
      label: 'Messages, files, keys and calls in one reply',
      type: 'number',
      min: 0,
      max: 20,
      required: true,
    },
  } as Fields,

  provider: { label: 'Model', hint: 'The gateway asks it about each event, and carries out what it replies' },
  none: 'None: my own program reads the events',
  browse: 'See what this key offers',
  offers: { model: 'Models', agent_id: 'Hosted agents' },
  choose: 'Choose …',
  ends: (name: string, date: string | null) => (date === null ? name : `${name} (ends ${date.slice(0, 10)})`),
  usual: (value: string) => `Default (${value})`,
  words: (prompt: string): Fields => ({
    system_prompt: {
      label: 'Instructions',
      hint: 'Empty: the gateway’s own',
      rows: 8,
      maxLength: 100_000,
      placeholder: prompt,
    },
    greeting: {
      label: 'Greeting',
      hint: 'Said when a call is answered, without asking the model',
      rows: 2,
      maxLength: 1_000,
    },
    live_replies: {
      label: 'Show replies while they are written',
      hint: 'On platforms whose messages can be changed',
      type: 'check',
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
