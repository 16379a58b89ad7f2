import { ACTS, ACTS_ONCE, ENDS, READS, READS_PEOPLE, type ToolSpec } from './mcp-tool.ts';

const NO_AUDIO =
  'No audio goes over MCP: to hear and speak yourself, open the WebSocket at `audio.stream_url` and exchange raw PCM there.';

/** Calls: placing them, letting them in, what is said and written in them. */
export const CALL_TOOLS: readonly ToolSpec[] = [
  {
    name: 'svc_call_join',
    twin: 'createCall',
    title: 'Place or join a call',
    description: `Calls a phone number or SIP URI (\`platform: "sip"\`, \`meeting_url: "sip:+33123456789@…"\`), or joins a meeting by its URL. Answers at once with \`call_id\`, the call's capabilities and its audio block, while the call is still \`connecting\`; follow it with svc_call_status until it is \`active\`. ${NO_AUDIO} Every call of this tool places another call: when you do not know whether one took effect, look at svc_call_list, or repeat it with the same \`idempotency_key\`.`,
    hints: ACTS,
    takesKey: true,
  },
  {
    name: 'svc_call_status',
    twin: 'getCall',
    title: 'Look at a call',
    description:
      'Tells the state of a call (`connecting`, `ringing`, `active`, `refused`, `missed`, `disconnected`) and the lines `[<speaker>] <text>` of its transcript after `since`. Begin with `since: 0` and go on with the `transcript_length` of each answer. The transcript is empty unless hosted speech recognition runs (capability `hosted_stt`). A call that has ended is not found any more. After `disconnected`, `termination` says why. If the bridge to the platform was lost, join again with the same `meeting_url`, which makes a new call.',
    hints: READS_PEOPLE,
  },
  {
    name: 'svc_call_list',
    twin: 'listCalls',
    title: 'List calls',
    description:
      'Lists the calls that live now, the oldest first, ringing ones included. A call in state `ringing` with `direction: "inbound"` waits for you: decide with svc_call_accept or svc_call_refuse within 60 s, or it is `missed`.',
    hints: READS,
  },
  {
    name: 'svc_call_accept',
    twin: 'acceptCall',
    title: 'Accept a ringing call',
    description: `Answers an inbound call that rings, and waits until it is \`active\`. A call rings for 60 s; you learn of it by a \`call_invite\` among the \`events\` of svc_inbox, or as a push. ${NO_AUDIO} Without that, accept only where the call has the capability \`hosted_tts\`, or the caller will hear nothing.`,
    hints: ACTS_ONCE,
  },
  {
    name: 'svc_call_refuse',
    twin: 'refuseCall',
    title: 'Refuse a ringing call',
    description: 'Turns away an inbound call that rings. Only for calls in state `ringing`.',
    hints: ENDS,
  },
  {
    name: 'svc_call_leave',
    twin: 'hangUpCall',
    title: 'Hang up',
    description:
      'Ends a call at once, whatever its state; the platform is told in the background. Afterwards the call is not found any more.',
    hints: ENDS,
  },
  {
    name: 'svc_call_say',
    twin: 'say',
    title: 'Speak in a call',
    description:
      'Speaks a text into the call by hosted text-to-speech. Needs the capabilities `audio_out` and `hosted_tts`; without a voice preset for text-to-speech it answers `400 Hosted TTS not configured`. Speak in short sentences, and cut yourself off with svc_call_stop_speaking when somebody else begins to talk.',
    hints: ACTS,
    takesKey: true,
  },
  {
    name: 'svc_call_stop_speaking',
    twin: 'stopSpeaking',
    title: 'Stop speaking',
    description:
      'Silences at once what svc_call_say is saying and drops the rest of it. Does nothing when nothing is being said.',
    hints: ACTS_ONCE,
  },
  {
    name: 'svc_call_chat',
    twin: 'sendCallChat',
    title: 'Write into the chat of a call',
    description:
      'Writes into the chat beside a meeting, where the call has the capability `write` (phone calls have no chat). Text of 1 to 10000 characters, attachments, or both; with attachments the text is the caption of the first. To write to a person outside a call use svc_dm_chat.',
    hints: ACTS,
    takesKey: true,
  },
  {
    name: 'svc_call_typing',
    twin: 'showCallTyping',
    title: 'Show typing in the chat of a call',
    description:
      'Shows in the chat of a meeting that you are writing, where the call has the capability `typing`.',
    hints: ACTS_ONCE,
  },
];
