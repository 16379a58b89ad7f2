// An AI agent on a phone call, with nothing but Node's own fetch and WebSocket. It joins the newest call and repeats
// what it hears, where yours will listen, think and speak:  AGENT_KEY=svc_… npm run agent

type Call = { audio: { stream_url: string } };
type Pcm = Int16Array<ArrayBuffer>;

const { BASE = 'http://127.0.0.1:8080', AGENT_KEY = '' } = process.env;

/** Joins a call. PCM is 16-bit mono at 16 kHz: `hear` gets 20 ms of everyone else at a time, `speak` takes any length. */
export function joinCall(
  call: Call,
  agentKey: string,
  hear: (pcm: Pcm) => void,
  event: (event: { type: string; [field: string]: unknown }) => void,
) {
  const socket = new WebSocket(`${call.audio.stream_url}?api_key=${agentKey}`);
  const send = (message: object) => socket.send(JSON.stringify(message));
  socket.binaryType = 'arraybuffer';
  socket.onopen = () => send({ type: 'audio_config', sample_rate: 16_000, receive: true });
  socket.onmessage = ({ data }) =>
    typeof data === 'string' ? event(JSON.parse(data)) : hear(new Int16Array(data));
  socket.onclose = ({ code, reason }) => event({ type: 'closed', code, reason });
  return {
    speak: (pcm: Pcm) => socket.send(pcm),
    /** Call this when someone interrupts: discards what has not been played yet. */
    stopSpeaking: () => send({ type: 'clear' }),
  };
}

if (process.argv[1] === import.meta.filename) {
  const answer = await fetch(`${BASE}/api/calls`, { headers: { 'X-API-Key': AGENT_KEY } });
  if (!answer.ok) throw new Error(await answer.text());
  const { calls } = (await answer.json()) as { calls: Call[] };
  const call = calls.at(-1);
  if (!call) throw new Error('there is no call: place one with POST /api/call');
  const agent = joinCall(call, AGENT_KEY, (pcm) => agent.speak(pcm), console.log);
}
