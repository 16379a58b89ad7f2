import { readFileSync } from 'node:fs';
import { eventFrame, exceptionFrame } from '../../fakes/bedrock/converse-run.ts';
import type { VendorFault } from '../../fakes/model-vendor/vendor-fault.ts';

/** Vendors and dialects, as `vendors-under-test` orders them. */
export const DIALECTS = [
  'openai',
  'anthropic',
  'gemini',
  'foundry',
  'bedrock',
  'mistral',
  'responses',
  'chat',
] as const;
export type Dialect = (typeof DIALECTS)[number];

/** The fake's own reply: the model was asked once more, and answered. */
export const SECOND = 'The second answer.';

/** What becomes of a stream. */
export interface Outcome {
  readonly dialect: Dialect;
  /** In the folder `recorded`. */
  readonly file: string;
  /** The public report that shows the stream. */
  readonly source: string;
  /** What the person gets; null: nothing. */
  readonly text: string | null;
  /** Why the delivery failed: the kind, and words of it. */
  readonly fault?: readonly [kind: string, words: string];
  /** How often the model was asked. Default: once. */
  readonly asked?: number;
  /** The stream comes again each time. Default: the second answer is `SECOND`. */
  readonly isConstant?: true;
}

const said = (dialect: Dialect, file: string, source: string, text: string): Outcome => ({
  dialect,
  file,
  source,
  text,
});
/** A second try helps. */
const again = (dialect: Dialect, file: string, source: string): Outcome => ({
  dialect,
  file,
  source,
  text: SECOND,
  asked: 2,
});
/** No try helps. */
const never = (
  dialect: Dialect,
  file: string,
  source: string,
  fault: readonly [kind: string, words: string],
  asked = 1,
): Outcome => ({ dialect, file, source, text: null, fault, asked, isConstant: true });

export const RECORDED: readonly Outcome[] = [
  said('responses', 'responses-end-without-output.sse', 'vllm 30223', 'Qwen says hi.'),
  said('responses', 'responses-only-text-done.sse', 'gemini-web2api 57', 'Hello from the web.'),
  said('responses', 'responses-without-text-done.sse', 'ogx 5309', '2 + 2 = 4'),
  said('responses', 'responses-harmony-one-id.sse', 'vllm 24788', 'Hello there'),
  said('responses', 'responses-unannounced-items.sse', 'litellm 36375', 'The answer is 7.'),
  again('responses', 'responses-cut-mid-think.sse', 'Rapid-MLX 866'),
  never('responses', 'responses-cut-mid-think.sse', 'Rapid-MLX 866', ['empty', 'has no words'], 2),
  again('responses', 'responses-reasoning-and-empty-message.sse', 'omlx 2817'),
  said('responses', 'responses-terminal-events-empty.sse', 'bifrost 3188', 'Bedrock answers.'),
  said(
    'responses',
    'responses-reasoning-at-the-end.sse',
    'LocalAI 9658',
    'Hello! How can I help you today? 😊',
  ),
  never('responses', 'responses-done-only-function-call.sse', 'opencodex 4652', [
    'bad_request',
    'waits for somebody to answer its function_call',
  ]),
  said('responses', 'responses-zero-deltas.sse', 'vllm 48274', 'All at once.'),
  said('responses', 'responses-done-marker.sse', 'llm-rosetta 415', 'No names, but a marker.'),
  again('responses', 'responses-failed-by-proxy.sse', 'Bamboo-agent 405'),

  said('openai', 'openai-plain.sse', 'simonw/llm 839', 'Pelicans are birds.'),
  never('openai', 'openai-incomplete-reasoning.sse', 'experiential 46', ['empty', 'a limit of length'], 2),
  again('openai', 'openai-failed.sse', 'langchain 39039'),
  again('openai', 'openai-error-event.sse', 'langchain 39178'),
  said('openai', 'openai-summary-without-deltas.sse', 'langchain 37625', 'Ready.'),

  never('foundry', 'foundry-content-filter.sse', 'codex 17615', ['refused', 'content filter']),
  again('foundry', 'foundry-failed.sse', 'langchain 39178'),

  said('anthropic', 'anthropic-recovered-error.sse', 'superplane 5065', 'Back again.'),
  said('anthropic', 'anthropic-names-of-its-own.sse', 'anthropic-sdk-python 1357', 'Nothing is dropped.'),
  said('anthropic', 'anthropic-tool-use-between.sse', 'LifeOS 114', 'I have looked.'),
  again('anthropic', 'anthropic-terminated.sse', 'LifeOS 114'),
  again('anthropic', 'anthropic-idle-without-message.sse', 'open-managed-agents 260'),

  said('gemini', 'gemini-thought-summary.sse', 'DEEIX-Chat 607', 'Blue, I think.'),
  never('gemini', 'gemini-exhausted.sse', 'LiveBench 476', ['empty', 'a limit of length'], 2),
  said('gemini', 'gemini-text-in-step-start.sse', 'lingtai-kernel 45', 'From the start.'),
  never('gemini', 'gemini-requires-action.sse', 'obsidian-gemini 1025', ['bad_request', 'function']),
  never('gemini', 'gemini-bare-error.sse', 'js-genai 1973', ['refused', 'blocked']),
  said('gemini', 'gemini-end-without-steps.sse', 'any-llm 1383', 'Only deltas.'),

  said('mistral', 'mistral-empty-deltas.sse', 'earendil-works/pi 9674', 'Paris.'),
  said('mistral', 'mistral-chunk-lists.sse', 'hermes-agent 4748', 'final answer'),
  never('mistral', 'mistral-content-and-call.sse', 'earendil-works/pi 9674', ['bad_request', 'function']),
  // The fake does not have the recorded conversation, so a new one is begun.
  { ...again('mistral', 'mistral-thought-alone.sse', 'openinference 3761'), asked: 3 },

  said('bedrock', 'bedrock-no-block-start.jsonl', 'litellm 24767', 'Short.'),
  said('bedrock', 'bedrock-reasoning-deltas.jsonl', 'koog 2062', 'It is noon.'),
  said('bedrock', 'bedrock-no-block-stop.jsonl', 'bifrost 4262', 'Never closed.'),
  again('bedrock', 'bedrock-stream-error.jsonl', 'floci 3043'),
  said('bedrock', 'bedrock-claude-types.jsonl', 'aimock 167', 'Typed.'),
  never('bedrock', 'bedrock-reasoning-alone.jsonl', 'koog 2062', ['empty', 'a limit of length'], 2),

  said('chat', 'chat-empty-finish-reason.sse', 'ollama 4357', 'Hello there!'),
  said('chat', 'chat-poisoned-finish.sse', 'opencrabs 1499', 'All of it counts'),
  said('chat', 'chat-stop-on-first-chunk.sse', 'open-webui 23921', 'Here I am.'),
  said('chat', 'chat-length-with-content.sse', 'vllm 36944', 'Once upon a time'),
  said('chat', 'chat-lone-think-end.sse', 'llama.cpp 12107', '所能为您提供帮助'),
  said('chat', 'chat-lone-think-end.json', 'vllm 31045', '1 + 1 = 2'),
  said('chat', 'chat-harmony-tokens.sse', 'kekzl/imp 768', 'Good day.'),
  said('chat', 'chat-harmony-without-tokens.sse', 'macprovider 743', 'four'),
  never('chat', 'chat-harmony-call-as-text.sse', 'Rapid-MLX 480', ['empty', 'has no words'], 2),
  again('chat', 'chat-zero-deltas.sse', 'lmstudio-bug-tracker 2339'),
  never('chat', 'chat-error-field.sse', 'coddy-agent 106', ['too_long', 'context size']),
  again('chat', 'chat-error-without-choices.sse', 'OmniRoute 8210'),
  again('chat', 'chat-error-and-finish.sse', 'local-operator 223'),
  never('chat', 'chat-prompt-too-long.sse', 'dcdpr/jp 978', ['too_long', 'prompt is too long']),
  again('chat', 'chat-severed.sse', 'opencode 44385'),
  never('chat', 'chat-severed.sse', 'opencode 44385', ['cut', 'before the reply did'], 3),
  said('chat', 'chat-never-finishes.sse', 'opencode 43379', 'Everything is here.'),
  said('chat', 'chat-no-done.sse', 'tempoxyz/mpp 975', 'OK'),
  said('chat', 'chat-comments.sse', 'openai-go 227', '亚洲很大。'),
  said('chat', 'chat-no-finish-field.sse', 'vllm 19662', '가요'),
  said('chat', 'chat-blank-lines.sse', 'anything-llm 1475', 'Hello! How can I help?'),
  never('chat', 'chat-guardrail.sse', 'litellm 39748', ['refused', 'guardrail']),
  never('chat', 'chat-context-in-stream.sse', 'unsloth 9390', ['too_long', '2048 tokens']),
  said('chat', 'chat-azure-annotations.sse', 'autogen 6465', 'Colorful.'),
  said('chat', 'chat-mistral-thinking.sse', 'symfony/ai 2422', '391.'),
  never('chat', 'chat-tool-call.sse', 'vllm 19662', ['bad_request', 'its call of get_weather']),
  said('chat', 'chat-crlf.sse', 'openai-go 227', 'Über ünïcode 😀'),
];

/** A file as the vendor's answer. `pieceBytes`: how much of it arrives at a time. */
export function recording(file: string, pieceBytes: number): Extract<VendorFault, { kind: 'recording' }> {
  const raw = readFileSync(new URL(`recorded/${file}`, import.meta.url));
  if (file.endsWith('.jsonl')) {
    const bytes = framesOf(raw.toString());
    return { kind: 'recording', contentType: 'application/vnd.amazon.eventstream', bytes, pieceBytes };
  }
  const contentType = file.endsWith('.json') ? 'application/json' : 'text/event-stream';
  return { kind: 'recording', contentType, bytes: raw, pieceBytes };
}

/** Bedrock's messages, one in each line: the type, with a mark before an exception, and the payload. */
function framesOf(lines: string): Uint8Array {
  const frames = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as [type: string, payload: { readonly message: string }])
    .map(([type, payload]) =>
      type.startsWith('!') ? exceptionFrame(type.slice(1), payload.message) : eventFrame(type, payload),
    );
  return Buffer.concat(frames);
}
