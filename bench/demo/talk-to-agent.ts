import { FakeOpenAi } from '../../test/fakes/openai/fake-openai.ts';
import { Speaker } from './speaker.ts';
import { addVoices, type Setup, withSpeech } from './talk.ts';
import { type AgentTalk, LOCAL_AGENT_TALK, LOCAL_TALK, TONE_AGENT_TALK } from './talk-script.ts';
import { TwoGateways } from './two-gateways.ts';

const INTRODUCTION = `
Two gateways run on this machine, A and B. At B an agent has a model, and no code: a key and a prompt. A calls it, and
both talk by hosted speech. The model is a fake of OpenAI on this machine, which answers from a script at once.
`;
const LATENCY_NOTE = `
  sound: from the transcript of what the caller said to the first sound of the answer: the gateway, the model and the
  synthesizer.
`;

/** Lets a caller talk with an agent that has a model. Resolves with the faults of its result. */
export async function talkToAgent(signal: AbortSignal): Promise<string[]> {
  return await withSpeech((by) => talkBy(by, signal));
}

async function talkBy(by: Setup, signal: AbortSignal): Promise<string[]> {
  print(`${INTRODUCTION}\n${by.script.introduction}\n`);
  const talk = by.script === LOCAL_TALK ? LOCAL_AGENT_TALK : TONE_AGENT_TALK;
  const model = await new FakeOpenAi().start();
  try {
    const env = { ...by.env, SVC_OPENAI_URL: model.url, SVC_MODELS_ALLOW: '127.0.0.0/8' };
    const gateways = await TwoGateways.start(env);
    let wrong: string[];
    try {
      await addVoices(gateways, by);
      await addModel(gateways, model, talk.greeting);
      wrong = await converse(gateways, model, talk, signal);
    } catch (error) {
      await gateways.stop();
      throw error;
    }
    return [...wrong, ...model.offences, ...(await gateways.stop())];
  } finally {
    await model.stop();
  }
}

/** The agent: a key, a model, a prompt. */
async function addModel({ b }: TwoGateways, { key }: FakeOpenAi, greeting: string): Promise<void> {
  const { agents } = (await b.settingsApi.get('/api/agents')).body;
  const { status, body } = await b.settingsApi.patch(`/api/agents/${agents[0].id}/provider`, {
    provider: 'openai',
    config: { api_key: key, model: 'gpt-6-luna' },
    greeting,
  });
  if (status !== 200) throw new Error(`the model cannot be set: ${JSON.stringify(body)}`);
}

async function converse(
  gateways: TwoGateways,
  model: FakeOpenAi,
  { greeting, turns }: AgentTalk,
  signal: AbortSignal,
): Promise<string[]> {
  await gateways.connect();
  const { outbound, inbound } = await gateways.call();
  const [caller, agent] = [new Speaker(gateways.a, outbound), new Speaker(gateways.b, inbound)];
  await Promise.all([caller.ready(signal), agent.ready(signal)]);
  print(`  agent says     ${greeting}`);
  print(`  caller hears   ${await caller.hears(0, signal)}\n`);
  for (const [line, reply] of turns) {
    model.reply = once(reply);
    const answered = agent.answers(caller);
    print(`  caller says    ${line}`);
    const { heard } = await caller.say(line, agent, signal);
    print(`  agent hears    ${heard}`);
    const answer = await answered(signal);
    print(`  agent says     ${answer.said.padEnd(44)} sound ${answer.soundMs.toFixed(0).padStart(4)} ms`);
    if (answer.heard !== '') print(`  caller hears   ${answer.heard}\n`);
  }
  await agent.ended(signal);
  print(`\n  The agent has hung up.\n${LATENCY_NOTE}`);
  return [...caller.complaints, ...agent.complaints];
}

/** The rest of a line that was understood in two parts needs no answer. */
function once(reply: string): () => string {
  let left = reply;
  return () => {
    const answer = left;
    left = '';
    return answer;
  };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
